//! The dealer's gift: a dedication of the turned-up card. It changes nothing in the match and has no version.

use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Code, Gift, PlayError, Seat};

use super::turns::load_for;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
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
    load_for(connection, account, id).await?;
    match_lock(connection, id).await?;
    let table = load_for(connection, account, id).await?;
    let seat = table.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
    let game = table.game.as_ref().ok_or(ServiceError::NotStarted)?;
    check_text(seat, &text)?;
    let round = i16::try_from(game.round()).map_err(ServiceError::internal)?;
    let gift = GiftRow { round, seat: i16::from(seat.number()), text, after_version: table.version };
    let same = |given: &GiftRow| given.seat == gift.seat && given.text == gift.text;
    if table.gift().is_some_and(same) {
        return Ok(());
    }
    if game.is_over() {
        return refused(Code::MatchOver, "the match is over");
    }
    if game.dealer() != seat {
        return refused(Code::NotYourTurn, "the dedication is the dealer's");
    }
    if table.gift().is_some() || round_has_begun(connection, id, table.version, round).await? {
        return refused(Code::WrongPhase, "a dedication is made once, before the first action of the round");
    }
    gift_insert_in_txn(connection, id, &gift).await.map_err(|error| match error {
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })
}

fn refused(code: Code, detail: &'static str) -> Result<(), ServiceError> {
    Err(ServiceError::Rejected(PlayError { code, detail: detail.into() }))
}

fn check_text(seat: Seat, text: &str) -> Result<(), ServiceError> {
    if (Gift { seat, text: text.to_owned() }).is_valid() {
        return Ok(());
    }
    let detail = "has to be 1 to 140 characters without control characters";
    Err(ServiceError::InvalidField { field: "text", detail })
}
