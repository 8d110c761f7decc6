//! The origin of an action: the player, a timeout, a bot, or a standing order.

/// The origin of an action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ActionOrigin {
    /// The player.
    #[default]
    Player,
    /// Timeout: a safe turn, or elimination.
    Missed,
    /// A bot that holds the seat.
    Bot,
    /// A standing order of the player.
    Order,
}

impl ActionOrigin {
    /// The name on the wire; `None` for the player.
    pub fn name(self) -> Option<&'static str> {
        match self {
            Self::Player => None,
            Self::Missed => Some("absent"),
            Self::Bot => Some("bot"),
            Self::Order => Some("standing_order"),
        }
    }
}
