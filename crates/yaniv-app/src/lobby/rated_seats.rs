//! Eligibility for rated matches: humans play with humans, bots with bots. The rating itself is in
//! `ratings::worker`.

use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::{AccountRow, account_find, account_keep_in_txn};
use yaniv_match::MatchState;
use yaniv_model::ids::AccountId;

use crate::lobby::create::NewMatch;
use crate::{ServiceError, Services};

/// Why a match cannot be rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatedError {
    /// Its rules are not those of a preset, or it is a sandbox.
    #[error("the match cannot be rated")]
    NotRatable,
    /// An account may not play rated matches, or not with these players.
    #[error("a player may not play rated matches")]
    NotAllowed,
}

/// Checks that a match requested as rated can be rated: rules of a preset, and no sandbox.
///
/// # Errors
/// `Rated`.
pub(crate) fn check_ratable(new: &NewMatch) -> Result<(), ServiceError> {
    let right = !new.rated || (new.preset.is_some() && !new.sandbox && new.secret.is_none());
    if right { Ok(()) } else { Err(RatedError::NotRatable.into()) }
}

/// Checks that an account may take a seat: in a rated match, all players are of the first player's kind.
///
/// # Errors
/// `Rated`.
pub(crate) fn check_seat(state: &MatchState, row: &AccountRow) -> Result<(), ServiceError> {
    let of_kind = state.players().first().is_none_or(|first| first.bot == row.is_bot());
    let right = !state.settings().rated || (of_kind && !row.is_guest());
    if right { Ok(()) } else { Err(RatedError::NotAllowed.into()) }
}

/// Checks that these accounts may play a match together. The result is stable: humans stay humans, bots stay
/// bots.
///
/// # Errors
/// `Rated`.
pub(crate) async fn check_all(
    connection: &Connection,
    new: &NewMatch,
    first: &AccountRow,
    others: &[AccountId],
) -> Result<(), ServiceError> {
    if !new.rated {
        return Ok(());
    }
    let ids: Vec<Uuid> = others.iter().map(|other| other.0).collect();
    let rows = account_keep_in_txn(connection, &ids).await?;
    let right = |row: &AccountRow| !row.is_guest() && row.is_bot() == first.is_bot();
    if right(first) && rows.iter().all(right) { Ok(()) } else { Err(RatedError::NotAllowed.into()) }
}

impl Services {
    /// Whether an account that wants a rated match is a bot, and so is paired with bots.
    ///
    /// # Errors
    /// `Rated` for guests.
    pub(crate) async fn plays_with_bots(&self, account: AccountId) -> Result<bool, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find(&connection, account).await?.ok_or(ServiceError::InvalidToken)?;
        if row.is_guest() { Err(RatedError::NotAllowed.into()) } else { Ok(row.is_bot()) }
    }
}
