//! Settings and players: what does not change while a match is played. Shared by all versions and views of
//! the match. The secret is not here.

use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use yaniv_bot::Level;
use yaniv_engine::{Rules, Seat};

use yaniv_model::ids::{AccountId, MatchId};

use crate::join_code::JoinCode;
use crate::time_control::TimeControl;

/// `visibility` of a match that is publicly listed.
pub const PUBLIC: &str = "public";

/// `seat_order` of a match whose seats are drawn at random.
pub const RANDOM: &str = "random";

/// Settings fixed when the match was created.
#[derive(Debug)]
pub struct Settings {
    /// The match.
    pub id: MatchId,
    /// The first join code.
    pub first_code: Arc<JoinCode>,
    /// The rule set.
    pub rules: Rules,
    /// The preset, if the rules are exactly those of one.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// `joined` or `random`.
    pub seat_order: String,
    /// `s[0]`, in hexadecimal: the commitment to all shuffles, fixed before the first player joins.
    pub commitment: String,
    /// `private` or `public`.
    pub visibility: String,
    /// Clock, and handling of absent players.
    pub time_control: TimeControl,
    /// Whether it is a sandbox, whose clock can be moved.
    pub sandbox: bool,
    /// Whether it is rated.
    pub rated: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Cache of the `settings_tag`: each view has it, and the hash of all settings costs more than the rest of a view.
    pub tag: OnceLock<String>,
}

/// A player of the match. Players are kept in seat order, before the start in order of joining.
#[derive(Clone, Debug)]
pub struct Player {
    /// The account.
    pub account: AccountId,
    /// The account's name.
    pub username: String,
    /// The account's display name.
    pub display_name: Option<String>,
    /// Whether the account is a bot; this never changes.
    pub bot: bool,
    /// Playing strength of a house bot.
    pub level: Option<Level>,
    /// The player's seed for the shuffles.
    pub client_seed: String,
    /// Number stored in `seats`; before the start it may have gaps.
    pub stored_seat: i16,
}

/// Seat of the host of a match that waits for players: the first player in joining order that is not a house bot.
pub fn host_seat(players: &[Player]) -> Option<Seat> {
    let host = players.iter().position(|player| player.level.is_none())?;
    u8::try_from(host).ok().map(Seat::new)
}

impl Settings {
    /// The match's input to every shuffle: its identifier. For sandboxes a constant, so that the same seed
    /// gives the same cards.
    pub fn shuffled_as(&self) -> String {
        if self.sandbox { "sandbox".to_owned() } else { self.id.to_string() }
    }
}

/// A dedication of a turned-up card.
#[derive(Clone, Debug, PartialEq)]
pub struct Dedication {
    /// Round whose turned-up card it belongs to.
    pub round: i16,
    /// Seat of the dealer.
    pub seat: i16,
    /// The text; empty after removal.
    pub text: String,
    /// Version of the match when the dedication was made.
    pub after_version: i32,
}

/// Parses the stored level of a house bot; `None` for other accounts.
pub fn level_of(stored: Option<&str>) -> Option<Level> {
    stored?.parse().ok()
}
