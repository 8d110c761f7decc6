//! Who or what has made an action: the player, or something that plays for them. Kept in the flags of the log.

use crate::store::actions::{FLAG_BOT, FLAG_MISSED, FLAG_ORDER};

/// Who or what has made an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// The player.
    #[default]
    Player,
    /// The player let the deadline pass: a safe turn, or being out.
    Missed,
    /// A bot that holds the seat.
    Bot,
    /// A standing order of the player.
    Order,
}

impl Cause {
    /// The bit of it in the flags.
    pub fn flag(self) -> i16 {
        match self {
            Self::Player => 0,
            Self::Missed => FLAG_MISSED,
            Self::Bot => FLAG_BOT,
            Self::Order => FLAG_ORDER,
        }
    }

    /// The cause that the flags of an entry name.
    pub fn of(flags: i16) -> Self {
        let causes = [Self::Missed, Self::Bot, Self::Order];
        causes.into_iter().find(|cause| flags & cause.flag() != 0).unwrap_or_default()
    }

    /// As it is printed; nothing where the player did it.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Player => None,
            Self::Missed => Some("absent"),
            Self::Bot => Some("bot"),
            Self::Order => Some("standing_order"),
        }
    }
}
