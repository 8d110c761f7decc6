//! Kinds of notifications, and sets of them.

/// Kind of a notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The player has to act.
    YourTurn,
    /// The player's deadline is near.
    DeadlineNear,
    /// Another player reminds them.
    Nudged,
    /// Another account challenges them.
    Invited,
    /// A round is over.
    RoundOver,
    /// A match is over.
    MatchOver,
    /// A test of a channel, by its owner.
    Test,
}

impl Kind {
    /// The kinds that can be switched on and off.
    pub const ALL: [Self; 6] =
        [Self::YourTurn, Self::DeadlineNear, Self::Nudged, Self::Invited, Self::RoundOver, Self::MatchOver];

    /// The stored and printed form.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::YourTurn => "your_turn",
            Self::DeadlineNear => "deadline_near",
            Self::Nudged => "nudged",
            Self::Invited => "invited",
            Self::RoundOver => "round_over",
            Self::MatchOver => "match_over",
            Self::Test => "test",
        }
    }

    /// Parses the stored form.
    pub(crate) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::Test]).find(|kind| kind.name() == name)
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
            // Tests cannot be switched off.
            Self::Test => 0,
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

impl Default for Kinds {
    /// All kinds except `RoundOver`, which the next turn's notification covers.
    fn default() -> Self {
        Kind::ALL.into_iter().filter(|kind| *kind != Kind::RoundOver).collect()
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
        }
        assert!(!Kinds::default().has(Kind::RoundOver));
        assert_eq!(Kinds::default().iter().count(), 5);
    }
}
