//! Ends all that may lead an account to a match, when it is suspended or deleted.

use chrono::DateTime;
use yaniv_db::matchmaking::pairings::pairing_list_waiting;
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, PairingId};

use crate::ServiceError;
use crate::matchmaking::challenge_answers::give_up_all;
use crate::matchmaking::pairing::withdraw;

/// Withdraws the account's matchmaking requests and ends its challenges: it must get no new match.
pub(crate) async fn leave_waiting(
    connection: &mut Connection,
    account: AccountId,
) -> Result<(), ServiceError> {
    // Regardless of expiry: this machine's clock may differ from the database's.
    for (row, _) in pairing_list_waiting(connection, account, DateTime::UNIX_EPOCH).await? {
        let id = PairingId(row.id);
        let taken = connection.transaction(async |connection| withdraw(connection, account, id).await).await;
        match taken {
            Ok(_) | Err(ServiceError::AlreadyPaired | ServiceError::PairingNotFound) => {}
            Err(error) => return Err(error),
        }
    }
    connection.transaction(async |connection| give_up_all(connection, account, None).await).await
}
