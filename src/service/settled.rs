//! What does not change while a match is played: its settings, and who takes part. Shared by all versions of it and
//! by all views; the secret is not here.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_bot::Level;
use yaniv_engine::Rules;

use super::ServiceError;
use super::house_bots::level_of;
use super::join_code::JoinCode;
use super::pace::Pace;
use crate::ids::{AccountId, MatchId};
use crate::store::matches::MatchRow;
use crate::store::seats::SeatRow;

/// What was settled when the match was created.
#[derive(Debug)]
pub struct Settings {
    /// The match.
    pub id: MatchId,
    /// Code that it was created with.
    pub first_code: Arc<JoinCode>,
    /// The rule set.
    pub rules: Rules,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Seats.
    pub size: i16,
    /// `joined` or `random`.
    pub seat_order: String,
    /// `s[0]`, in hexadecimal: what the shuffles were settled by before anybody joined.
    pub commitment: String,
    /// `private` or `public`.
    pub visibility: String,
    /// Its clock, and what is done for absent players.
    pub pace: Pace,
    /// Whether it is a test match, whose clock can be moved.
    pub sandbox: bool,
    /// Whether it counts for the ratings of its players.
    pub rated: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// Somebody who takes part. Players are kept in the order of their seats, before the start in that of joining.
#[derive(Clone, Debug)]
pub struct Player {
    /// Who it is.
    pub account: AccountId,
    /// The account's name.
    pub username: String,
    /// Whether it is a bot, which it stays.
    pub bot: bool,
    /// How well it plays, if it is a bot of the house.
    pub level: Option<Level>,
    /// Their part of the shuffles.
    pub client_seed: String,
    /// Number stored in `seats`: before the start it may have gaps.
    pub stored_seat: i16,
}

impl Settings {
    /// The match's part of every shuffle: its identifier, but in a test match, where the same seed is to give the same cards.
    pub fn shuffled_as(&self) -> String {
        if self.sandbox { "sandbox".to_owned() } else { self.id.to_string() }
    }
}

impl TryFrom<&MatchRow> for Settings {
    type Error = ServiceError;

    fn try_from(row: &MatchRow) -> Result<Self, ServiceError> {
        Ok(Self {
            id: MatchId(row.id),
            first_code: Arc::new(JoinCode { code: row.code.clone(), expires_at: row.code_expires_at }),
            rules: yaniv_engine::rules_from_json(&row.rules).map_err(ServiceError::internal)?,
            preset: row.preset.clone(),
            size: row.size,
            seat_order: row.seat_order.clone(),
            commitment: row.commitment.clone(),
            visibility: row.visibility.clone(),
            pace: Pace::from_stored(row.pace.as_ref())?,
            sandbox: row.sandbox,
            rated: row.rated,
            created_at: row.created_at,
        })
    }
}

impl From<SeatRow> for Player {
    fn from(row: SeatRow) -> Self {
        Self {
            account: AccountId(row.account_id),
            username: row.username,
            bot: row.bot,
            level: level_of(row.level.as_deref()),
            client_seed: row.client_seed,
            stored_seat: row.seat,
        }
    }
}
