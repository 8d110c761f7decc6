//! Scopes, credentials, and the authenticated caller.

use yaniv_model::ids::{AccountId, SessionId, TokenId};

/// A scope that a token may be restricted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Reading.
    Read,
    /// Creating matches, joining them, acting in them.
    Play,
    /// Sessions, tokens, the password, friends and blocks.
    Account,
    /// The reports of players, and what is decided about them. Only personal tokens of moderators have it.
    Moderate,
}

impl Scope {
    /// All scopes, in listing order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Play, Self::Account, Self::Moderate];
    /// The scopes of a session, which an app may also be given.
    pub const OF_SESSION: [Self; 3] = [Self::Read, Self::Play, Self::Account];

    /// Name in the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Play => "play",
            Self::Account => "account",
            Self::Moderate => "moderate",
        }
    }

    fn bit(self) -> i16 {
        match self {
            Self::Read => 1,
            Self::Play => 2,
            Self::Account => 4,
            Self::Moderate => 8,
        }
    }
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scopes(i16);

impl Scopes {
    /// The scopes of a session.
    pub const OF_SESSION: Self = Self(7);

    /// The set of stored bits.
    pub fn from_bits(bits: i16) -> Self {
        Self(bits & 15)
    }

    /// Bits as stored: 1 read, 2 play, 4 account, 8 moderate.
    pub fn bits(self) -> i16 {
        self.0
    }

    /// Whether the set contains this scope.
    pub fn has(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Iterates over the scopes in the set.
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.has(*scope))
    }

    /// Whether the set is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Scope> for Scopes {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

/// The credential that authenticated a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// An access token of a session.
    Session(SessionId),
    /// A personal token.
    Token(TokenId),
}

/// The authenticated caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The account.
    pub account: AccountId,
    /// The credential used.
    pub credential: Credential,
    /// The scopes granted.
    pub scopes: Scopes,
}

impl Access {
    /// The session, if the credential is an access token.
    pub fn session(&self) -> Option<SessionId> {
        match self.credential {
            Credential::Session(session) => Some(session),
            Credential::Token(_) => None,
        }
    }

    /// The personal token, if the credential is one.
    pub fn token(&self) -> Option<TokenId> {
        match self.credential {
            Credential::Session(_) => None,
            Credential::Token(token) => Some(token),
        }
    }
}
