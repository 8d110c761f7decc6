//! Deleting an account, in the middle of its matches too.
//!
//! First the account is marked, in one transaction: from then on nobody gets into it, whatever happens to this program.
//! Then it leaves its matches, one short transaction each, as a player would who gives up. In the end it is made anonymous.
//! Each step may be done twice, and by several instances at once; what a crash leaves undone the caretaker does.

use std::collections::HashSet;

use chrono::DateTime;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;
use yaniv_engine::{Action, Code};

use super::challenge_answers::give_up_all;
use super::lobby::LobbyChange;
use super::names::{DELETED_PREFIX, generated};
use super::pairing::withdraw;
use super::replay::IdempotencyKey;
use super::status::Status;
use super::turns::Act;
use super::{ServiceError, Services};
use crate::auth::access::Access;
use crate::ids::{AccountId, MatchId, PairingId};
use crate::store::StoreError;
use crate::store::account_deletions::{
    abandoned_list, account_anonymise_in_txn, leaving_lock_in_txn, leaving_mark_in_txn,
};
use crate::store::accounts::account_find;
use crate::store::pairings::pairing_list_waiting;
use crate::store::seats::seat_open_match_list;

/// How often it is tried to leave a match in which others act meanwhile.
const TRIES: u32 = 20;

/// On what condition an account is marked.
#[derive(Clone)]
pub(super) enum Provided {
    /// On none.
    Always,
    /// That its password is still the one with this hash.
    Password(String),
    /// That nobody gets into it any more, and that it is in no match.
    Abandoned,
}

impl Services {
    /// Begins to delete the caller's account and its bots. When this answers nobody gets into them any more; the rest is
    /// done as soon as can be.
    ///
    /// # Errors
    /// `InvalidField` where a password is needed, `WrongPassword`, `TooManyAttempts`, `Busy`; where there is no password,
    /// `SessionRequired`.
    pub async fn delete_account(&self, access: Access, password: Option<String>) -> Result<(), ServiceError> {
        let row = account_find(&*self.store.connection().await?, access.account).await?;
        let hash = row.ok_or(ServiceError::InvalidToken)?.password_hash;
        if !hash.is_empty() {
            let detail = "is needed, as the account has one";
            let password = password.ok_or(ServiceError::InvalidField { field: "password", detail })?;
            self.check_password_of(access, password).await?;
        } else if access.session().is_none() {
            // What a token that leaks could do must not be more than its owner can take back.
            return Err(ServiceError::SessionRequired);
        }
        let leaving = self.begin_deletion(access.account, Provided::Password(hash)).await?;
        self.finish_soon(leaving);
        Ok(())
    }

    /// Begins to delete an account and its bots, whoever wants it. If that has begun before, nothing changes.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn delete_account_by_id(&self, account: AccountId) -> Result<(), ServiceError> {
        let leaving = self.begin_deletion(account, Provided::Always).await?;
        self.finish_soon(leaving);
        Ok(())
    }

    /// Marks an account and its bots; answers those that are still to be deleted.
    pub(super) async fn begin_deletion(
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

    /// Has the rest done by a task of its own.
    fn finish_soon(&self, leaving: Vec<AccountId>) {
        let services = self.clone();
        self.runtime.spawn(async move {
            for account in leaving {
                services.finish_deletion_or_warn(account).await;
            }
        });
    }

    /// Does what is left of a deletion; if that fails, the caretaker tries again.
    pub(super) async fn finish_deletion_or_warn(&self, account: AccountId) {
        if let Err(error) = self.finish_deletion(account).await {
            tracing::warn!(%error, "the deletion of an account is not over yet");
        }
    }

    async fn finish_deletion(&self, account: AccountId) -> Result<(), ServiceError> {
        // Before the matches: whoever waits for the same may make one until then.
        self.durably(true, false, move |mut connection, _| async move {
            leave_waiting(&mut connection, account).await
        })
        .await?;
        let open = seat_open_match_list(&*self.store.connection().await?, account).await?;
        for id in open {
            match self.leave_for_good(account, MatchId(id)).await {
                // One match that is damaged must not keep somebody here for ever.
                Err(error @ ServiceError::Internal(_)) => {
                    tracing::error!(%error, match_id = %id, "a match could not be left by who is deleted");
                }
                left => left?,
            }
        }
        let name = self
            .durably(true, false, move |mut connection, _| async move {
                connection.transaction(async |connection| anonymise(connection, account).await).await
            })
            .await?;
        self.tables.hear(name.into_iter().map(|name| (account.0, name)).collect());
        Ok(())
    }

    /// Leaves a match that waits, or resigns one that runs.
    async fn leave_for_good(&self, account: AccountId, id: MatchId) -> Result<(), ServiceError> {
        for _ in 0..TRIES {
            let Some(table) = self.table(id).await? else { return Ok(()) };
            let Some(seat) = table.seat_of(account) else { return Ok(()) };
            let out = table.game.as_ref().is_some_and(|game| game.is_out(seat));
            let left = match table.status {
                Status::Waiting => self.change_lobby(account, id, LobbyChange::Leave, None).await,
                Status::Running if !out => self.act(resignation(account, id, table.version)).await,
                _ => return Ok(()),
            };
            match left {
                Ok(_) | Err(ServiceError::MatchNotFound) => return Ok(()),
                Err(ServiceError::Rejected(refused))
                    if matches!(refused.code, Code::SeatOut | Code::MatchOver) =>
                {
                    return Ok(());
                }
                // Somebody has acted meanwhile, or dealt.
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

/// Takes back the requests to be paired of an account, and ends its challenges: it is to get no match any more.
pub(super) async fn leave_waiting(
    connection: &mut AsyncPgConnection,
    account: AccountId,
) -> Result<(), ServiceError> {
    // Whatever the time: what has expired by the clock of this machine may not have by the database's.
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

/// A resignation like any other. Whoever sends it again gets the same one.
fn resignation(account: AccountId, match_id: MatchId, expected_version: i32) -> Act {
    // With spaces: no client's key is like it.
    let key = IdempotencyKey { key: format!("deletion of {account}"), fingerprint: 0 };
    Act { account, match_id, expected_version, action: Action::Resign, slam_down: None, key }
}

/// Marks an account and its bots, if that is to be; says which sessions and tokens ended by it, and which accounts are
/// still to be deleted.
async fn mark(
    connection: &AsyncPgConnection,
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

/// Makes an account anonymous whose deletion has begun; answers its new name, if that was not done before.
async fn anonymise(
    connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Option<String>, ServiceError> {
    let rows = leaving_lock_in_txn(connection, account).await?;
    let begun = rows.first().filter(|row| row.id == account.0 && row.deletion_asked_at.is_some());
    if begun.is_none_or(|row| row.deleted_at.is_some()) {
        return Ok(None);
    }
    let name = generated(DELETED_PREFIX);
    account_anonymise_in_txn(connection, account, &name).await.map_err(|error| match error {
        // Somebody has that name: another is drawn.
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })?;
    Ok(Some(name))
}
