//! Housekeeping, on every instance: completes interrupted deletions, deletes expired data and unreachable guests, and
//! closes matches that have waited too long for players.
//!
//! Several instances may work on the same items at once.

use std::time::Duration;

use chrono::TimeDelta;
use uuid::Uuid;
use yaniv_db::Transactions;
use yaniv_db::accounts::password_attempts::password_try_forget_old;
use yaniv_db::accounts::revocations::revocation_forget;
use yaniv_db::accounts::transfer_codes::transfer_code_forget;
use yaniv_db::lifecycle::account_deletions::{abandoned_list, leaving_list};
use yaniv_db::lobby::open_matches::open_match_forget_begun;
use yaniv_db::matches::match_rows::match_list_unused;
use yaniv_db::matches::seats::seat_close_over;
use yaniv_db::matchmaking::challenges::challenge_forget_old;
use yaniv_db::matchmaking::pairing_criteria::{wish_forget_unused_in_txn, wish_lock_if_there};
use yaniv_db::matchmaking::pairing_groups::{group_forget_empty_in_txn, group_list_empty};
use yaniv_db::matchmaking::pairings::pairing_forget_old;
use yaniv_db::notifications::last_seen::look_forget;
use yaniv_db::oauth::authorization_codes::authorization_code_forget;
use yaniv_db::passkeys::challenges::passkey_challenge_forget;
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::password_attempts::TRIES_WITHIN;
use crate::kernel::bounds::WAITING_MATCHES;
use crate::kernel::worker::{Next, Work};
use crate::lifecycle::account_deletion::Provided;
use crate::lobby::join_leave_start::LobbyChange;
use crate::{ServiceError, Services};

/// Minimum pause between two rounds; at most half as long again, to keep instances out of step.
const PERIOD: Duration = Duration::from_secs(50);
/// Age after which a deletion in progress counts as interrupted.
const LEFT: TimeDelta = TimeDelta::seconds(20);
/// Expired data is deleted in one round of this many, about once an hour.
const TIDY_EVERY: u32 = 60;
/// Number of accounts or rows per query.
const AT_A_TIME: i64 = 100;
/// Number of rows that one statement deletes.
const BATCH: i64 = 1_000;
/// Retention of ended sessions and tokens.
const KEPT: TimeDelta = TimeDelta::days(1);
/// Retention of ended matchmaking requests and challenges, during which they can be read.
const LISTED: TimeDelta = TimeDelta::days(30);
/// Retention of the times when players viewed matches. Afterwards the log tells what is unread.
const LOOKS_KEPT: TimeDelta = TimeDelta::days(30);

/// One run is a round of housekeeping.
struct Housekeeping {
    services: Services,
    round: u32,
}

impl Work for Housekeeping {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let tidy = self.round.is_multiple_of(TIDY_EVERY);
        self.round = self.round.wrapping_add(1);
        self.services.care(tidy).await?;
        Ok(Next::Period)
    }
}

impl Services {
    /// Starts the housekeeping.
    pub(crate) fn start_housekeeping(&self) {
        let housekeeping = Housekeeping { services: self.clone(), round: 0 };
        self.worker("housekeeping", PERIOD).with_jitter(0.5).start(&self.runtime, housekeeping);
    }

    async fn care(&self, tidy: bool) -> Result<(), ServiceError> {
        if tidy {
            self.tidy().await;
        }
        let left = leaving_list(&*self.store.connection().await?, LEFT, AT_A_TIME).await?;
        for account in left {
            self.finish_deletion_or_warn(AccountId(account)).await;
        }
        Ok(())
    }

    /// Each step of its own: one that fails does not keep the others from their work.
    async fn tidy(&self) {
        warn("guests were not deleted", self.delete_abandoned().await);
        warn("requests to be paired were not deleted", self.forget_pairings().await);
        warn("matches that nobody joins were not ended", self.end_unused_matches().await);
        warn("ended sessions and tokens were not deleted", self.forget_sessions().await);
        warn("old challenges were not deleted", self.forget_challenges().await);
        warn("old times of views were not deleted", self.forget_looks().await);
        warn("expired codes and attempts were not deleted", self.forget_codes().await);
        warn("seats of matches that are over were not closed", self.close_seats_over().await);
    }

    async fn forget_sessions(&self) -> Result<(), ServiceError> {
        while revocation_forget(&*self.store.connection().await?, KEPT, BATCH).await? == BATCH {}
        Ok(())
    }

    async fn forget_challenges(&self) -> Result<(), ServiceError> {
        while challenge_forget_old(&*self.store.connection().await?, LISTED, BATCH).await? == BATCH {}
        Ok(())
    }

    async fn forget_looks(&self) -> Result<(), ServiceError> {
        while look_forget(&*self.store.connection().await?, LOOKS_KEPT, BATCH).await? == BATCH {}
        Ok(())
    }

    /// Deletes what expires within minutes, so that there is never much of it.
    async fn forget_codes(&self) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        transfer_code_forget(&connection).await?;
        authorization_code_forget(&connection).await?;
        passkey_challenge_forget(&connection).await?;
        password_try_forget_old(&connection, TRIES_WITHIN).await?;
        Ok(())
    }

    async fn close_seats_over(&self) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        open_match_forget_begun(&connection).await?;
        while seat_close_over(&connection, AT_A_TIME).await? > 0 {}
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

    /// Ends matches that have waited for players for too long: their players leave them.
    async fn end_unused_matches(&self) -> Result<(), ServiceError> {
        let mut after = Uuid::nil();
        loop {
            let connection = self.store.connection().await?;
            let unused = match_list_unused(&connection, WAITING_MATCHES.life(), after, AT_A_TIME).await?;
            drop(connection);
            let Some(last) = unused.last() else { return Ok(()) };
            after = *last;
            for id in unused {
                warn("a match that nobody joins was not ended", self.end_unused(MatchId(id)).await);
            }
        }
    }

    async fn end_unused(&self, id: MatchId) -> Result<(), ServiceError> {
        let Some(state) = self.match_state(id).await? else { return Ok(()) };
        // The host last. House bots leave with the last player.
        for player in state.players().iter().rev().filter(|player| player.level.is_none()) {
            match self.change_lobby(player.account, id, LobbyChange::Leave, None).await {
                Ok(_) | Err(ServiceError::MatchNotFound) => {}
                Err(ServiceError::Started) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Deletes old matchmaking requests, and the groups and pairing criteria that are no longer in use.
    async fn forget_pairings(&self) -> Result<(), ServiceError> {
        while pairing_forget_old(&*self.store.connection().await?, LISTED, AT_A_TIME).await? == AT_A_TIME {}
        let wishes = group_list_empty(&*self.store.connection().await?, LISTED, AT_A_TIME).await?;
        for wish in wishes {
            let mut connection = self.store.connection().await?;
            connection
                .transaction(async |connection| {
                    // A new request joins an empty group under this lock.
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

/// Logs a failure; the next round retries.
fn warn(what: &str, result: Result<(), ServiceError>) {
    if let Err(error) = result {
        tracing::warn!(%error, "{what}");
    }
}
