//! What is done without being asked for, by every instance: deletions that were broken off are finished, and guests that
//! nobody gets into any more are deleted. Several may be at the same at once.

use std::time::Duration;

use chrono::TimeDelta;

use super::deletion::Provided;
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::account_deletions::{abandoned_list, leaving_list};

/// Between two rounds, at least; at most half as long again, so that instances do not go in step.
const PERIOD: Duration = Duration::from_secs(50);
/// After so long it is taken that nobody is at it any more.
const LEFT: TimeDelta = TimeDelta::seconds(20);
/// Every so many rounds, about an hour, guests are looked through.
const GUESTS_EVERY: u32 = 60;
/// Accounts that are looked up at a time.
const AT_A_TIME: i64 = 100;

impl Services {
    /// Does it, from now until no more writes are to come.
    pub fn take_care(&self) {
        let services = self.clone();
        self.runtime.spawn(async move {
            let mut round: u32 = 0;
            while !services.writes.is_closed() {
                if let Err(error) = services.care(round.is_multiple_of(GUESTS_EVERY)).await {
                    tracing::warn!(%error, "accounts could not be seen to");
                }
                round = round.wrapping_add(1);
                let pause = PERIOD.mul_f64(1.0 + rand::random::<f64>() / 2.0);
                // Ends at once with the last write, when no more are to come.
                let _ = tokio::time::timeout(pause, services.writes.wait()).await;
            }
        });
    }

    async fn care(&self, guests: bool) -> Result<(), ServiceError> {
        if guests {
            self.delete_abandoned().await?;
        }
        let left = leaving_list(&*self.store.connection().await?, LEFT, AT_A_TIME).await?;
        for account in left {
            self.finish_deletion_or_warn(AccountId(account)).await;
        }
        Ok(())
    }

    async fn delete_abandoned(&self) -> Result<(), ServiceError> {
        loop {
            let found = abandoned_list(&*self.store.connection().await?, None, AT_A_TIME).await?;
            let last = i64::try_from(found.len()).is_ok_and(|count| count < AT_A_TIME);
            for account in found {
                for leaving in self.begin_deletion(AccountId(account), Provided::Abandoned).await? {
                    self.finish_deletion_or_warn(leaving).await;
                }
            }
            if last {
                return Ok(());
            }
        }
    }
}
