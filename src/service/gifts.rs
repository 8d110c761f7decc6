//! The dealer's gift: a dedication of the turned-up card. It changes nothing in the match and has no version.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Code, Gift, PlayError, Seat};

use super::table::Table;
use super::turns::load_for;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::accounts::account_keep_in_txn;
use crate::store::gifts::{GiftRow, gift_insert_in_txn, round_has_begun};
use crate::store::matches::match_lock;

impl Services {
    /// Attaches a dedication to the turned-up card: by the dealer, once, until the round's first action. The same one
    /// again changes nothing.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotStarted`, `InvalidField`; `Rejected` by anyone but the dealer, too late, or a second time.
    pub async fn dedicate(&self, account: AccountId, id: MatchId, text: String) -> Result<(), ServiceError> {
        self.durably(true, false, move |mut connection, _| {
            let text = text.clone();
            async move {
                connection
                    .transaction(async |connection| try_dedicate(connection, account, id, text).await)
                    .await
            }
        })
        .await
    }
}

async fn try_dedicate(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    text: String,
) -> Result<(), ServiceError> {
    // Without the lock first: who may not must not make others wait.
    if wanted(connection, &load_for(connection, account, id).await?, account, &text).await?.is_none() {
        return Ok(());
    }
    // Whoever deletes the account takes its dedications away: none may come after that.
    if account_keep_in_txn(connection, &[account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    match_lock(connection, id).await?;
    let table = load_for(connection, account, id).await?;
    let Some(gift) = wanted(connection, &table, account, &text).await? else { return Ok(()) };
    gift_insert_in_txn(connection, id, &gift).await.map_err(|error| match error {
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })
}

/// The dedication to store; none if it is there already.
async fn wanted(
    connection: &AsyncPgConnection,
    table: &Table,
    account: AccountId,
    text: &str,
) -> Result<Option<GiftRow>, ServiceError> {
    let seat = table.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
    let game = table.game.as_ref().ok_or(ServiceError::NotStarted)?;
    check_text(seat, text)?;
    let round = i16::try_from(game.round()).map_err(ServiceError::internal)?;
    let seat_number = i16::from(seat.number());
    if table.gift().is_some_and(|given| given.seat == seat_number && given.text == text) {
        return Ok(None);
    }
    if game.is_over() {
        return Err(refused(Code::MatchOver, "the match is over"));
    }
    if game.dealer() != seat {
        return Err(refused(Code::NotYourTurn, "the dedication is the dealer's"));
    }
    if table.gift().is_some() || round_has_begun(connection, table.id(), table.version, round).await? {
        let detail = "a dedication is made once, before the first action of the round";
        return Err(refused(Code::WrongPhase, detail));
    }
    Ok(Some(GiftRow { round, seat: seat_number, text: text.to_owned(), after_version: table.version }))
}

fn refused(code: Code, detail: &'static str) -> ServiceError {
    ServiceError::Rejected(PlayError { code, detail: detail.into() })
}

fn check_text(seat: Seat, text: &str) -> Result<(), ServiceError> {
    if (Gift { seat, text: text.to_owned() }).is_valid() {
        return Ok(());
    }
    let detail = "has to be 1 to 140 characters without control characters";
    Err(ServiceError::InvalidField { field: "text", detail })
}
