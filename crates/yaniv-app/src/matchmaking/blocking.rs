//! Blocking an account, which also ends what the two accounts have in common: friendship and open challenges.
//! Reading and removing blocks is in `accounts::relations`.

use yaniv_db::Transactions;
use yaniv_db::accounts::blocks::block_insert_in_txn;
use yaniv_db::accounts::friend_requests::friend_wish_delete;
use yaniv_model::ids::AccountId;

use crate::accounts::relations::keep_both;
use crate::kernel::boxed;
use crate::matchmaking::challenge_answers::give_up_all;
use crate::{ServiceError, Services};

impl Services {
    /// Blocks an account. Ends a friendship of the two, and the open challenges with both that the caller has
    /// made or accepted. Blocking again changes nothing.
    ///
    /// # Errors
    /// `AccountNotFound`, `OwnAccount`.
    #[boxed]
    pub async fn block(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    keep_both(connection, account, other).await?;
                    block_insert_in_txn(connection, account, other).await?;
                    friend_wish_delete(connection, account, other).await?;
                    give_up_all(connection, account, Some(other)).await
                })
                .await
        })
        .await
    }
}
