//! Bounds of what an account can make: how many at once, and how many on a day.

use yaniv_db::Connection;
use yaniv_db::kernel::daily_counts::daily_count_add_in_txn;
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// The bounds of a kind of row.
pub(crate) struct Bounds {
    /// Its name, as stored in `daily_counts`.
    pub(crate) kind: &'static str,
    /// Maximum number at a time.
    pub(crate) at_once: i64,
    /// Maximum number made on a day (UTC).
    pub(crate) a_day: i32,
}

/// Challenges made by an account; open ones at a time. The number of challenges received is not limited.
pub(crate) const CHALLENGES: Bounds = Bounds { kind: "challenge", at_once: 20, a_day: 300 };

impl Bounds {
    /// Counts one more of today, in the transaction that makes it.
    ///
    /// # Errors
    /// `refusal` if there are as many as may be.
    pub(crate) async fn count_in_txn(
        &self,
        connection: &Connection,
        account: AccountId,
        refusal: ServiceError,
    ) -> Result<(), ServiceError> {
        let made = daily_count_add_in_txn(connection, account, self.kind).await?;
        if made > self.a_day { Err(refusal) } else { Ok(()) }
    }
}
