//! Dedications: the dealer's words on the turned-up card. A dedication does not change the match and has no
//! version.

use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::matches::dedications::{DedicationRow, dedication_insert_in_txn, round_has_begun};
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_engine::{Code, PlayError};
use yaniv_match::MatchState;
use yaniv_match::settings::Dedication;
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::names::check_text;
use crate::kernel::boxed;
use crate::kernel::mutes::check_not_muted;
use crate::turns::play::load_for;
use crate::{ServiceError, Services};

/// Longest dedication, in characters.
const LONGEST: usize = 140;

impl Services {
    /// Attaches a dedication to the turned-up card: by the dealer, once, before the round's first action.
    /// Repeating the same text changes nothing.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotStarted`, `InvalidField`, `Muted`; `Rejected` if the caller is not the dealer,
    /// too late, or has made one.
    #[boxed]
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
    connection: &Connection,
    account: AccountId,
    id: MatchId,
    text: String,
) -> Result<(), ServiceError> {
    // First without the lock: refused callers must not make others wait.
    if wanted(connection, &load_for(connection, account, id).await?, account, &text).await?.is_none() {
        return Ok(());
    }
    // Lock the account: deletion of an account removes its dedications, and none may be added afterwards.
    if account_keep_in_txn(connection, &[account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    match_lock(connection, id).await?;
    let state = load_for(connection, account, id).await?;
    let Some(gift) = wanted(connection, &state, account, &text).await? else { return Ok(()) };
    check_not_muted(connection, account).await?;
    dedication_insert_in_txn(connection, id, &row_of(gift)).await.map_err(|error| match error {
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })
}

/// The dedication to store; `None` if it is already stored.
async fn wanted(
    connection: &Connection,
    state: &MatchState,
    account: AccountId,
    text: &str,
) -> Result<Option<Dedication>, ServiceError> {
    let seat = state.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
    let game = state.game().ok_or(ServiceError::NotStarted)?;
    check_text("text", text, LONGEST)?;
    let round = i16::try_from(game.round()).map_err(ServiceError::internal)?;
    let seat_number = i16::from(seat.number());
    let given = state.dedications().iter().find(|gift| gift.round == round);
    if given.is_some_and(|given| given.seat == seat_number && given.text == text) {
        return Ok(None);
    }
    if game.is_over() {
        return Err(refused(Code::MatchOver, "the match is over"));
    }
    if game.dealer() != seat {
        return Err(refused(Code::NotYourTurn, "the dedication is the dealer's"));
    }
    if given.is_some() || round_has_begun(connection, state.id(), state.version(), round).await? {
        let detail = "a dedication is made once, before the first action of the round";
        return Err(refused(Code::WrongPhase, detail));
    }
    Ok(Some(Dedication { round, seat: seat_number, text: text.to_owned(), after_version: state.version() }))
}

fn row_of(gift: Dedication) -> DedicationRow {
    let Dedication { round, seat, text, after_version } = gift;
    DedicationRow { round, seat, text, after_version }
}

fn refused(code: Code, detail: &'static str) -> ServiceError {
    ServiceError::Rejected(PlayError::new(code, detail))
}
