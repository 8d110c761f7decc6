//! Mutes: who may not write texts that others see. A mute never stops a turn.

use yaniv_db::Connection;
use yaniv_db::moderation::decisions::muted_until;
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// Checks that an account may write text that others see: neither it nor its owner is muted.
///
/// # Errors
/// `Muted`.
pub(crate) async fn check_not_muted(connection: &Connection, account: AccountId) -> Result<(), ServiceError> {
    match muted_until(connection, account).await? {
        Some(until) => Err(ServiceError::Muted(until)),
        None => Ok(()),
    }
}
