//! Who plays rated matches with whom: people among themselves, and bots among themselves. What they come to is in `rater`.

use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::creation::NewMatch;
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::accounts::{AccountRow, account_find, account_keep_in_txn};

/// Why a match cannot be rated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatedError {
    /// Its rules are no preset's, or it is a test match.
    #[error("the match cannot be rated")]
    NotRatable,
    /// Somebody may not play rated, or not with these others.
    #[error("somebody may not play rated here")]
    NotAllowed,
}

/// Whether a match can be rated, if that is wanted: by the rules of a preset, and where no clock is moved.
///
/// # Errors
/// `Rated`.
pub(super) fn check_ratable(new: &NewMatch) -> Result<(), ServiceError> {
    let right = !new.rated || (new.preset.is_some() && !new.sandbox && new.secret.is_none());
    if right { Ok(()) } else { Err(RatedError::NotRatable.into()) }
}

/// Whether somebody may sit down at a match: whoever came first is of their kind.
///
/// # Errors
/// `Rated`.
pub(super) fn check_seat(table: &Table, row: &AccountRow) -> Result<(), ServiceError> {
    let of_kind = table.players.first().is_none_or(|first| first.bot == row.is_bot());
    let right = !table.settings.rated || (of_kind && !row.is_guest());
    if right { Ok(()) } else { Err(RatedError::NotAllowed.into()) }
}

/// Whether these may play a match. Nobody's answer changes later: a person stays one, and so does a bot.
///
/// # Errors
/// `Rated`.
pub(super) async fn check_all(
    connection: &AsyncPgConnection,
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
    /// Whether somebody who wants to play a rated match is a bot, and so plays with bots.
    ///
    /// # Errors
    /// `Rated` for guests.
    pub(super) async fn plays_with_bots(&self, account: AccountId) -> Result<bool, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find(&connection, account).await?.ok_or(ServiceError::InvalidToken)?;
        if row.is_guest() { Err(RatedError::NotAllowed.into()) } else { Ok(row.is_bot()) }
    }
}
