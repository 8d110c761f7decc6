//! Suspensions, by moderators and by the administrator.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::account_suspension_update_in_txn;
use yaniv_db::accounts::sessions::session_end_others;
use yaniv_db::accounts::tokens::personal_token_end_others;
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// What was ended.
#[derive(Default)]
pub(crate) struct Ended {
    /// Sessions.
    pub(crate) sessions: Vec<Uuid>,
    /// Personal tokens.
    pub(crate) personal_tokens: Vec<Uuid>,
}

/// Suspends a locked account, and ends all its sessions and tokens.
///
/// A concurrent log-in comes before, and is ended with the rest, or after, and is refused. The caller calls
/// `leave_waiting` afterwards: no player must get a match with an account that cannot act.
pub(crate) async fn suspend(
    connection: &Connection,
    id: AccountId,
    now: DateTime<Utc>,
    until: Option<DateTime<Utc>>,
    reason: &str,
) -> Result<Ended, ServiceError> {
    account_suspension_update_in_txn(connection, id, Some(now), until, Some(reason)).await?;
    end_all(connection, id).await
}

/// Ends the suspension of a locked account. Sessions and tokens stay ended.
pub(crate) async fn restore(connection: &Connection, id: AccountId) -> Result<(), ServiceError> {
    Ok(account_suspension_update_in_txn(connection, id, None, None, None).await?)
}

/// Ends all sessions and tokens of an account.
pub(crate) async fn end_all(connection: &Connection, id: AccountId) -> Result<Ended, ServiceError> {
    let sessions = session_end_others(connection, id, None).await?;
    let personal_tokens = personal_token_end_others(connection, id, None).await?;
    Ok(Ended { sessions, personal_tokens })
}
