//! What is done without being asked for, by every instance: deletions that were broken off are finished, and what nobody
//! needs any more is deleted, guests that nobody gets into among it. Several may be at the same at once.

use std::time::Duration;

use chrono::TimeDelta;
use diesel_async::AsyncConnection;

use super::deletion::Provided;
use super::password_checks::TRIES_WITHIN;
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::account_deletions::{abandoned_list, leaving_list};
use crate::store::challenges::challenge_forget_old;
use crate::store::open_matches::open_match_forget_begun;
use crate::store::pairing_groups::{group_forget_empty_in_txn, group_list_empty};
use crate::store::pairings::pairing_forget_old;
use crate::store::password_tries::password_try_forget_old;
use crate::store::revocations::revocation_forget;
use crate::store::seats::seat_close_over;
use crate::store::wishes::{wish_forget_unused_in_txn, wish_lock_if_there};

/// Between two rounds, at least; at most half as long again, so that instances do not go in step.
const PERIOD: Duration = Duration::from_secs(50);
/// After so long it is taken that nobody is at it any more.
const LEFT: TimeDelta = TimeDelta::seconds(20);
/// Every so many rounds, about an hour, it is looked through what nobody needs any more.
const TIDY_EVERY: u32 = 60;
/// Accounts, or rows, that are looked up at a time.
const AT_A_TIME: i64 = 100;
/// How long sessions and tokens that are over are kept.
const KEPT: TimeDelta = TimeDelta::days(1);
/// How long requests to be paired and challenges that are over are kept: so long they can be looked up.
const LISTED: TimeDelta = TimeDelta::days(30);

impl Services {
    /// Does it, from now until no more writes are to come.
    pub fn take_care(&self) {
        let services = self.clone();
        self.runtime.spawn(async move {
            let mut round: u32 = 0;
            while !services.writes.is_closed() {
                warn("what is over was not deleted", services.care(round.is_multiple_of(TIDY_EVERY)).await);
                round = round.wrapping_add(1);
                let pause = PERIOD.mul_f64(1.0 + rand::random::<f64>() / 2.0);
                // Ends at once with the last write, when no more are to come.
                let _ = tokio::time::timeout(pause, services.writes.wait()).await;
            }
        });
    }

    async fn care(&self, tidy: bool) -> Result<(), ServiceError> {
        if tidy {
            warn("guests were not deleted", self.delete_abandoned().await);
            warn("requests to be paired were not deleted", self.forget_pairings().await);
            let connection = self.store.connection().await?;
            revocation_forget(&connection, KEPT).await?;
            password_try_forget_old(&connection, TRIES_WITHIN).await?;
            challenge_forget_old(&connection, LISTED).await?;
            open_match_forget_begun(&connection).await?;
            while seat_close_over(&connection, AT_A_TIME).await? > 0 {}
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

    /// Requests that are long over, and of the groups and wishes those that nobody is in any more.
    async fn forget_pairings(&self) -> Result<(), ServiceError> {
        while pairing_forget_old(&*self.store.connection().await?, LISTED, AT_A_TIME).await? == AT_A_TIME {}
        let wishes = group_list_empty(&*self.store.connection().await?, LISTED, AT_A_TIME).await?;
        for wish in wishes {
            let mut connection = self.store.connection().await?;
            connection
                .transaction(async |connection| {
                    // Whoever asks goes to an empty group under this lock.
                    wish_lock_if_there(connection, &wish).await?;
                    group_forget_empty_in_txn(connection, &wish, LISTED).await?;
                    wish_forget_unused_in_txn(connection, &wish).await?;
                    Ok::<_, ServiceError>(())
                })
                .await?;
        }
        Ok(())
    }
}

/// Says what went wrong. It is tried again.
fn warn(what: &str, result: Result<(), ServiceError>) {
    if let Err(error) = result {
        tracing::warn!(%error, "{what}");
    }
}
