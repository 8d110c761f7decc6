//! What there is to be told, and sets of it.

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A match waits for the player.
    YourTurn,
    /// The player's time runs out.
    DeadlineNear,
    /// Another player asks them to go on.
    Nudged,
    /// Somebody challenges them.
    Invited,
    /// A round is over.
    RoundOver,
    /// A match is over.
    MatchOver,
    /// Their own test of a channel.
    Test,
}

impl Kind {
    /// Those that can be switched on and off.
    pub const ALL: [Self; 6] =
        [Self::YourTurn, Self::DeadlineNear, Self::Nudged, Self::Invited, Self::RoundOver, Self::MatchOver];

    /// As it is stored and printed.
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

    /// The one of a name.
    pub(super) fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().chain([Self::Test]).find(|kind| kind.name() == name)
    }

    /// Whether it is about somebody who is waited for: of these, in a match, only the newest is of interest.
    pub(super) fn is_of_turn(self) -> bool {
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
            // Whoever asks for it wants it.
            Self::Test => 0,
        }
    }
}

/// What a channel is told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kinds(i16);

impl Kinds {
    pub(super) fn from_bits(bits: i16) -> Self {
        Self(bits)
    }

    pub(super) fn bits(self) -> i16 {
        self.0
    }

    /// Whether it is among them.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.0 & kind.bit() == kind.bit()
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.has(*kind))
    }
}

impl Default for Kinds {
    /// Everything but rounds: the next turn tells as much.
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
