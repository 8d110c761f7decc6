//! Deletion of an account, also during its matches.
//!
//! First one transaction marks the account: from then on all access to it is refused, even after a crash.
//! Then the account leaves or resigns its matches, in one short transaction each. Its history is erased in
//! batches, so that the duration of a statement does not grow with the history. Finally the account is
//! anonymized. Every step is idempotent and may run on several instances at once; housekeeping completes what
//! a crash interrupts.

use std::collections::HashSet;

use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::accounts::account_names::CurrentNames;
use yaniv_db::accounts::account_rows::account_find;
use yaniv_db::lifecycle::account_deletions::{
    abandoned_list, account_anonymise_in_txn, history_batch, history_erase_in_txn, leaving_lock_in_txn,
    leaving_mark_in_txn, own_rows_delete,
};
use yaniv_db::matches::seats::{seat_open_match_list, seat_unclosed_list};
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_engine::{Action, Code};
use yaniv_match::status::Status;
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::names::{DELETED_PREFIX, generated};
use crate::accounts::password_attempts::Proof;
use crate::accounts::sessions::check_session;
use crate::kernel::boxed;
use crate::lobby::join_leave_start::LobbyChange;
use crate::matchmaking::leave_waiting::leave_waiting;
use crate::turns::play::Act;
use crate::{ServiceError, Services};

/// Maximum number of tries to leave a match in which other players act concurrently.
const TRIES: u32 = 20;

/// Condition for marking an account.
#[derive(Clone)]
pub(crate) enum Provided {
    /// Unconditional.
    Always,
    /// Its password hash is still this one.
    Password(String),
    /// It is unreachable for its owner, and in no match.
    Abandoned,
}

impl Services {
    /// Starts the deletion of the caller's account and its bots.
    ///
    /// After this returns, all access to them is refused; the remaining steps run in the background.
    ///
    /// # Errors
    /// Those of `check_owner`; `SessionRequired` for guests and bots.
    #[boxed]
    pub async fn delete_account(&self, access: Access, proof: Proof) -> Result<(), ServiceError> {
        let row = account_find(&*self.store.connection().await?, access.account).await?;
        let row = row.ok_or(ServiceError::InvalidToken)?;
        if row.password().is_some() || row.has_identity() {
            self.check_owner(access, proof).await?;
        } else if access.session().is_none() {
            // A leaked token must not do more than the owner can undo.
            return Err(ServiceError::SessionRequired);
        }
        let leaving = self.begin_deletion(access.account, Provided::Password(row.password_hash)).await?;
        self.finish_soon(leaving);
        Ok(())
    }

    /// Deletes a bot of the caller in the same way as its owner's account would be deleted.
    ///
    /// # Errors
    /// `SessionRequired`, `BotNotFound`.
    #[boxed]
    pub async fn delete_bot(&self, access: &Access, bot: AccountId) -> Result<(), ServiceError> {
        check_session(access)?;
        self.check_bot(access.account, bot).await?;
        self.delete_account_by_id(bot).await
    }

    /// Starts the deletion of an account and its bots without a check of the caller; idempotent.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn delete_account_by_id(&self, account: AccountId) -> Result<(), ServiceError> {
        let leaving = self.begin_deletion(account, Provided::Always).await?;
        self.finish_soon(leaving);
        Ok(())
    }

    /// Marks an account and its bots; returns those still to be deleted.
    pub(crate) async fn begin_deletion(
        &self,
        account: AccountId,
        provided: Provided,
    ) -> Result<Vec<AccountId>, ServiceError> {
        let (ended, leaving) = self
            .durably(true, false, move |mut connection, _| {
                let provided = provided.clone();
                async move {
                    connection.transaction(async |connection| mark(connection, account, provided).await).await
                }
            })
            .await?;
        self.ended.add(ended);
        Ok(leaving.into_iter().map(AccountId).collect())
    }

    /// Runs the remaining steps in a background task.
    fn finish_soon(&self, leaving: Vec<AccountId>) {
        let services = self.clone();
        self.runtime.spawn(async move {
            for account in leaving {
                services.finish_deletion_or_warn(account).await;
            }
        });
    }

    /// Runs the remaining steps of a deletion; if that fails, housekeeping retries.
    pub(crate) async fn finish_deletion_or_warn(&self, account: AccountId) {
        if let Err(error) = self.finish_deletion(account).await {
            tracing::warn!(%error, "the deletion of an account is not over yet");
        }
    }

    async fn finish_deletion(&self, account: AccountId) -> Result<(), ServiceError> {
        // Before the matches: until then a matchmaking request may still lead to a match.
        self.durably(true, false, move |mut connection, _| async move {
            leave_waiting(&mut connection, account).await
        })
        .await?;
        let open = seat_open_match_list(&*self.store.connection().await?, account).await?;
        for id in open {
            match self.leave_for_good(account, MatchId(id)).await {
                // A single damaged match must not block the deletion for ever.
                Err(error @ ServiceError::Internal(_)) => {
                    tracing::error!(%error, match_id = %id, "an account being deleted could not leave a match");
                }
                left => left?,
            }
        }
        let unclosed = self.erase_history(account).await?;
        let name = self
            .durably(true, false, move |mut connection, _| {
                let unclosed = unclosed.clone();
                async move {
                    connection
                        .transaction(async |connection| anonymise(connection, account, &unclosed).await)
                        .await
                }
            })
            .await?;
        let names = |username| CurrentNames { id: account.0, username, display_name: None };
        self.match_cache.hear(name.into_iter().map(names).collect());
        Ok(())
    }

    /// Erases the history of an account that has left its matches, in batches. Returns the skipped matches.
    ///
    /// Those may still run: instances that play them have the account's calendar in memory until they learn
    /// of its new name.
    async fn erase_history(&self, account: AccountId) -> Result<Vec<Uuid>, ServiceError> {
        let unclosed = seat_unclosed_list(&*self.store.connection().await?, account).await?;
        let mut next = Some(Uuid::nil());
        while let Some(after) = next {
            let without = unclosed.clone();
            next = self
                .durably(true, false, move |mut connection, _| {
                    let without = without.clone();
                    async move {
                        connection
                            .transaction(async |connection| {
                                erase_after(connection, account, after, &without).await
                            })
                            .await
                    }
                })
                .await?;
        }
        while self
            .durably(true, false, move |connection, _| async move {
                Ok(own_rows_delete(&connection, account).await?)
            })
            .await?
            > 0
        {}
        Ok(unclosed)
    }

    /// Leaves a waiting match, or resigns from a running one.
    async fn leave_for_good(&self, account: AccountId, id: MatchId) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let Some(state) = self.match_state(id).await? else { return Ok(()) };
            let Some(seat) = state.seat_of(account) else { return Ok(()) };
            let out = state.game().is_some_and(|game| game.is_out(seat));
            let left = match state.status() {
                Status::Waiting => self.change_lobby(account, id, LobbyChange::Leave, None).await.map(|_| ()),
                Status::Running if !out => {
                    self.act(resignation(account, id, state.version())).await.map(|_| ())
                }
                _ => return Ok(()),
            };
            match left {
                Ok(()) | Err(ServiceError::MatchNotFound) => return Ok(()),
                Err(ServiceError::Rejected(refused))
                    if matches!(refused.code, Code::SeatOut | Code::MatchOver) =>
                {
                    return Ok(());
                }
                // Another player has acted meanwhile, or cards were dealt.
                Err(
                    ServiceError::VersionConflict(_)
                    | ServiceError::Started
                    | ServiceError::NotStarted
                    | ServiceError::OutcomeUnknown,
                ) => {}
                Err(error) => return Err(error),
            }
        }
        Err(ServiceError::Busy)
    }
}

/// A regular resignation, idempotent by its key.
fn resignation(account: AccountId, match_id: MatchId, expected_version: i32) -> Act {
    // With spaces, so that no client's key can be equal.
    let key = IdempotencyKey { key: format!("deletion of {account}"), fingerprint: 0 };
    Act { account, match_id, expected_version, action: Action::Resign, slam_down: None, key }
}

/// Marks an account and its bots if the condition holds.
///
/// Returns the sessions and tokens ended by it, and the accounts still to be deleted.
async fn mark(
    connection: &Connection,
    account: AccountId,
    provided: Provided,
) -> Result<(Vec<Uuid>, Vec<Uuid>), ServiceError> {
    let rows = leaving_lock_in_txn(connection, account).await?;
    let own = rows.first().filter(|row| row.id == account.0).ok_or(ServiceError::AccountNotFound)?;
    if own.deletion_asked_at.is_none() {
        match provided {
            Provided::Always => {}
            Provided::Password(hash) if hash == own.password_hash => {}
            Provided::Password(_) => return Err(ServiceError::WrongPassword),
            Provided::Abandoned => {
                if abandoned_list(connection, Some(account), 1).await?.is_empty() {
                    return Ok((Vec::new(), Vec::new()));
                }
            }
        }
    }
    let ids: HashSet<Uuid> = rows.iter().filter(|row| row.deleted_at.is_none()).map(|row| row.id).collect();
    let ids: Vec<Uuid> = ids.into_iter().collect();
    Ok((leaving_mark_in_txn(connection, &ids).await?, ids))
}

/// Locks an account; returns whether its deletion has begun and is not complete.
async fn hold_leaving(connection: &Connection, account: AccountId) -> Result<bool, ServiceError> {
    let rows = leaving_lock_in_txn(connection, account).await?;
    let begun = rows.first().filter(|row| row.id == account.0 && row.deletion_asked_at.is_some());
    Ok(begun.is_some_and(|row| row.deleted_at.is_none()))
}

/// Erases the batch of the history after a match; instances are serialized by the account's lock.
///
/// Returns the last match of the batch, after which the next one begins.
async fn erase_after(
    connection: &Connection,
    account: AccountId,
    after: Uuid,
    without: &[Uuid],
) -> Result<Option<Uuid>, ServiceError> {
    if !hold_leaving(connection, account).await? {
        return Ok(None);
    }
    let batch = history_batch(connection, account, after, without).await?;
    history_erase_in_txn(connection, account, &batch).await?;
    Ok(batch.last().copied())
}

/// Anonymizes an account whose deletion has begun; returns its new name, unless that was done before.
async fn anonymise(
    connection: &Connection,
    account: AccountId,
    unclosed: &[Uuid],
) -> Result<Option<String>, ServiceError> {
    if !hold_leaving(connection, account).await? {
        return Ok(None);
    }
    let name = generated(DELETED_PREFIX);
    account_anonymise_in_txn(connection, account, &name, unclosed).await.map_err(|error| match error {
        // The name is in use: the retry draws another.
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })?;
    Ok(Some(name))
}
