//! Kinds of notifications, and sets of them.

use chrono::TimeDelta;
use yaniv_db::accounts::email_codes::{EMAIL_REMOVED, RESET_PASSWORD, VERIFY_EMAIL};
use yaniv_db::notifications::deliveries::{
    IDENTITY_LINKED, NEW_APP, NEW_DEVICE, PASSKEY_ADDED, PASSWORD_CHANGED,
};

/// Notifications older than this are dropped; longer than all retries take.
pub(crate) const OLDEST: TimeDelta = TimeDelta::days(14);

/// How long a former e-mail address can be taken back; also the retention of those that are not verified.
pub(crate) const ADDRESS_KEPT: TimeDelta = TimeDelta::days(7);

/// Kind of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The player has to act.
    YourTurn,
    /// The player's deadline is near.
    DeadlineNear,
    /// All seats of the player's match are taken: it can start.
    TableFull,
    /// Another player reminds them.
    Nudged,
    /// Another account challenges them.
    Invited,
    /// A round is over.
    RoundOver,
    /// A match is over.
    MatchOver,
    /// Matches wait for the player; once a day.
    Digest,
    /// A test of a channel, by its owner.
    Test,
    /// A code that proves access to a mailbox.
    VerifyEmail,
    /// A code that sets a new password.
    ResetPassword,
    /// The address was replaced or removed; with a code that takes it back.
    EmailRemoved,
    /// A log-in with the password, on a device that was not known.
    NewDevice,
    /// An app got access by OAuth.
    NewApp,
    /// The password was changed.
    PasswordChanged,
    /// A passkey was added.
    PasskeyAdded,
    /// An identity of the OpenID provider was linked.
    IdentityLinked,
}

impl Kind {
    /// The kinds that can be switched on and off.
    pub const ALL: [Self; 8] = [
        Self::YourTurn,
        Self::DeadlineNear,
        Self::TableFull,
        Self::Nudged,
        Self::Invited,
        Self::RoundOver,
        Self::MatchOver,
        Self::Digest,
    ];
    /// Messages that cannot be switched off: to a channel itself, or about the account.
    pub const FIXED: [Self; 9] = [
        Self::Test,
        Self::VerifyEmail,
        Self::ResetPassword,
        Self::EmailRemoved,
        Self::NewDevice,
        Self::NewApp,
        Self::PasswordChanged,
        Self::PasskeyAdded,
        Self::IdentityLinked,
    ];

    /// The stored and printed form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::YourTurn => "your_turn",
            Self::DeadlineNear => "deadline_near",
            Self::TableFull => "table_full",
            Self::Nudged => "nudged",
            Self::Invited => "invited",
            Self::RoundOver => "round_over",
            Self::MatchOver => "match_over",
            Self::Digest => "digest",
            Self::Test => "test",
            Self::VerifyEmail => VERIFY_EMAIL,
            Self::ResetPassword => RESET_PASSWORD,
            Self::EmailRemoved => EMAIL_REMOVED,
            Self::NewDevice => NEW_DEVICE,
            Self::NewApp => NEW_APP,
            Self::PasswordChanged => PASSWORD_CHANGED,
            Self::PasskeyAdded => PASSKEY_ADDED,
            Self::IdentityLinked => IDENTITY_LINKED,
        }
    }

    /// Parses the stored form.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain(Self::FIXED).find(|kind| kind.name() == name)
    }

    /// Whether it is sent at once and cannot be switched off.
    pub(crate) fn is_fixed(self) -> bool {
        Self::FIXED.contains(&self)
    }

    /// Whether it is about a match.
    pub(crate) fn is_of_match(self) -> bool {
        self.is_of_turn() || matches!(self, Self::TableFull | Self::RoundOver | Self::MatchOver)
    }

    /// How long it is worth sending; longer than all retries take, except for a code, which would have expired.
    pub(crate) fn lifetime(self) -> TimeDelta {
        match self {
            Self::VerifyEmail => TimeDelta::days(1),
            Self::ResetPassword => TimeDelta::hours(1),
            Self::EmailRemoved => ADDRESS_KEPT,
            Self::Digest => TimeDelta::hours(20),
            _ => OLDEST,
        }
    }

    /// Whether it is about a turn: of these, only the newest per match is relevant.
    pub(crate) fn is_of_turn(self) -> bool {
        matches!(self, Self::YourTurn | Self::DeadlineNear | Self::Nudged)
    }

    fn bit(self) -> i16 {
        match self {
            Self::YourTurn => 1,
            Self::DeadlineNear => 2,
            Self::Nudged => 4,
            Self::Invited => 8,
            Self::RoundOver => 16,
            Self::MatchOver => 32,
            Self::Digest => 64,
            Self::TableFull => 128,
            Self::Test
            | Self::VerifyEmail
            | Self::ResetPassword
            | Self::EmailRemoved
            | Self::NewDevice
            | Self::NewApp
            | Self::PasswordChanged
            | Self::PasskeyAdded
            | Self::IdentityLinked => 0,
        }
    }
}

/// The set of kinds that a channel receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(i16);

impl Kinds {
    pub(crate) fn from_bits(bits: i16) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> i16 {
        self.0
    }

    /// Whether the set contains the kind.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.0 & kind.bit() == kind.bit()
    }

    /// The kinds in the set.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

impl Kinds {
    /// The default of e-mail: what is urgent or rare, and one message a day for the rest.
    pub(crate) fn of_email() -> Self {
        [Kind::DeadlineNear, Kind::TableFull, Kind::Invited, Kind::Digest].into_iter().collect()
    }
}

impl Default for Kinds {
    /// All kinds except `RoundOver` and `Digest`, which the next turn's notification covers.
    fn default() -> Self {
        Kind::ALL.into_iter().filter(|kind| !matches!(kind, Kind::RoundOver | Kind::Digest)).collect()
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<T: IntoIterator<Item = Kind>>(kinds: T) -> Self {
        Self(kinds.into_iter().fold(0, |bits, kind| bits | kind.bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_kept_apart() {
        for kind in Kind::ALL {
            let kinds: Kinds = [kind].into_iter().collect();
            assert_eq!(kinds.iter().collect::<Vec<_>>(), [kind]);
            assert_eq!(Kind::of(kind.name()), Some(kind));
            assert!(!kind.is_fixed());
        }
        for kind in Kind::FIXED {
            assert_eq!(Kind::of(kind.name()), Some(kind));
            assert!(kind.is_fixed());
        }
        assert!(!Kinds::default().has(Kind::RoundOver));
        assert_eq!(Kinds::default().iter().count(), 6);
    }
}
