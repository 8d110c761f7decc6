//! Who asks, by which credential, and what it lets them do.

use crate::ids::{AccountId, SessionId, TokenId};

/// A kind of operations that a token may be restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Reading.
    Read,
    /// Creating matches, joining them, acting in them.
    Play,
    /// Sessions, tokens, the password, friends and blocks.
    Account,
}

impl Scope {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 3] = [Self::Read, Self::Play, Self::Account];

    /// As it is printed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Play => "play",
            Self::Account => "account",
        }
    }

    fn bit(self) -> i16 {
        match self {
            Self::Read => 1,
            Self::Play => 2,
            Self::Account => 4,
        }
    }
}

/// Some of the scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(i16);

impl Scopes {
    /// All of them: what a log-in has.
    pub const ALL: Self = Self(7);

    /// Those of these bits, as they are stored.
    pub fn from_bits(bits: i16) -> Self {
        Self(bits & Self::ALL.0)
    }

    /// One bit each: 1 read, 2 play, 4 account.
    pub fn bits(self) -> i16 {
        self.0
    }

    /// Whether this is one of them.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

/// By what somebody is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// The access token of a log-in.
    Session(SessionId),
    /// A personal token.
    Token(TokenId),
}

/// Somebody who may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Who.
    pub account: AccountId,
    /// By what.
    pub credential: Credential,
    /// What they may do.
    pub scopes: Scopes,
}

impl Access {
    /// The session, if it is by one.
    pub fn session(&self) -> Option<SessionId> {
        match self.credential {
            Credential::Session(session) => Some(session),
            Credential::Token(_) => None,
        }
    }

    /// The personal token, if it is by one.
    pub fn token(&self) -> Option<TokenId> {
        match self.credential {
            Credential::Session(_) => None,
            Credential::Token(token) => Some(token),
        }
    }
}
