//! Deletion of accounts: marking the account, then erasing personal data from every table.
//!
//! Also deletes abandoned guest accounts. Data that grows with the history of an account is erased in
//! batches.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Double, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::accounts::account_rows::KIND_GUEST;
use crate::accounts::transfer_codes::transfer_code_delete_all;
use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::lobby::removals::removal_delete_all;
use crate::matches::archived_logs::archived_log_erase_in_txn;
use crate::moderation::decisions::decision_erase_in_txn;
use crate::moderation::marks::shared_browser_delete_all;
use crate::moderation::moderators::moderator_delete_in_txn;
use crate::moderation::reports::report_erase_in_txn;
use crate::notifications::channels::channel_delete_all_in_txn;
use crate::notifications::settings::notice_settings_delete;
use crate::oauth::authorization_codes::authorization_code_delete_all;
use crate::passkeys::credentials::passkey_delete_all;
use crate::ratings::queue::rating_lock_in_txn;
use crate::ratings::rating_rows::rating_unlist_in_txn;
use crate::schema::{
    accounts, blocks, friend_requests, match_states, personal_tokens, quiet_hours, seats, sessions, vacations,
};

/// Matches erased per transaction; each has some hundred log entries to search.
const HISTORY_BATCH: usize = 50;
/// Rows deleted per statement.
const OWN_ROWS_BATCH: i64 = 500;
/// Placeholder for the names of devices and tokens.
const NAMELESS: &str = "deleted";

/// An account locked for deletion, which may have begun.
#[derive(Clone, Debug, Queryable)]
pub struct Leaving {
    /// Identifier.
    pub id: Uuid,
    /// Argon2id PHC string; empty without a password.
    pub password_hash: String,
    /// When the deletion was requested.
    pub deletion_asked_at: Option<DateTime<Utc>>,
    /// When the deletion was finished.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Locks an account and its bots; the account is first in the result, if it exists. It is locked before its
/// bots are read, because creating a bot locks its owner.
///
/// # Errors
/// `Busy` if a lock is not acquired in time.
pub async fn leaving_lock_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<Leaving>, StoreError> {
    let columns = (accounts::id, accounts::password_hash, accounts::deletion_asked_at, accounts::deleted_at);
    let own = accounts::table.find(account.0).for_update().select(columns);
    let mut rows: Vec<Leaving> = own.load(&mut connection).await?;
    let bots = accounts::table.filter(accounts::owner_id.eq(account.0)).order(accounts::id);
    rows.extend(bots.for_update().select(columns).load::<Leaving>(&mut connection).await?);
    Ok(rows)
}

/// Marks locked accounts for deletion and ends their sessions and tokens. Returns the ended ones. Rows that
/// only lead to the accounts are deleted.
///
/// # Errors
/// Any database error.
pub async fn leaving_mark_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    diesel::update(accounts::table.filter(accounts::id.eq_any(ids)))
        .filter(accounts::deletion_asked_at.is_null())
        .set((
            accounts::deletion_asked_at.eq(clock_timestamp().nullable()),
            accounts::password_hash.eq(""),
            accounts::oidc_issuer.eq(None::<String>),
            accounts::oidc_subject.eq(None::<String>),
        ))
        .execute(&mut connection)
        .await?;
    channel_delete_all_in_txn(connection, ids).await?;
    transfer_code_delete_all(connection, ids).await?;
    authorization_code_delete_all(connection, ids).await?;
    passkey_delete_all(connection, ids).await?;
    removal_delete_all(connection, ids).await?;
    let mut ended = moderator_delete_in_txn(connection, ids).await?;
    let of_sessions: Vec<Uuid> = diesel::update(sessions::table.filter(sessions::account_id.eq_any(ids)))
        .filter(sessions::ended_at.is_null())
        .set(sessions::ended_at.eq(clock_timestamp().nullable()))
        .returning(sessions::id)
        .get_results(&mut connection)
        .await?;
    let tokens: Vec<Uuid> =
        diesel::update(personal_tokens::table.filter(personal_tokens::account_id.eq_any(ids)))
            .filter(personal_tokens::ended_at.is_null())
            .set(personal_tokens::ended_at.eq(clock_timestamp().nullable()))
            .returning(personal_tokens::id)
            .get_results(&mut connection)
            .await?;
    ended.extend(of_sessions);
    ended.extend(tokens);
    Ok(ended)
}

/// Accounts whose deletion began longer ago than this and is not finished.
///
/// # Errors
/// Any database error.
pub async fn leaving_list(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Found {
        #[diesel(sql_type = SqlUuid)]
        id: Uuid,
    }
    let rows: Vec<Found> = diesel::sql_query(
        "SELECT id FROM accounts WHERE deletion_asked_at <= now() - make_interval(secs => $1) AND deleted_at IS NULL \
         ORDER BY deletion_asked_at LIMIT $2",
    )
    .bind::<Double, _>(ago.as_seconds_f64())
    .bind::<diesel::sql_types::BigInt, _>(limit)
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Guests that can no longer log in and have no waiting or running match: all of them, or only the given
/// account if it is one.
///
/// # Errors
/// Any database error.
pub async fn abandoned_list(
    mut connection: &AsyncPgConnection,
    only: Option<AccountId>,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let session = sessions::table
        .filter(sessions::account_id.eq(accounts::id))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(clock_timestamp()));
    let token = personal_tokens::table
        .filter(personal_tokens::account_id.eq(accounts::id))
        .filter(personal_tokens::ended_at.is_null())
        .filter(personal_tokens::expires_at.gt(clock_timestamp()));
    let seat = seats::table
        .inner_join(match_states::table.on(match_states::match_id.eq(seats::match_id)))
        .filter(seats::account_id.eq(accounts::id))
        .filter(match_states::status.eq_any(["waiting", "running"]));
    let mut query = accounts::table
        .filter(accounts::kind.eq(KIND_GUEST))
        .filter(accounts::suspended_at.is_null())
        .filter(accounts::deletion_asked_at.is_null())
        .filter(not(exists(session)))
        .filter(not(exists(token)))
        .filter(not(exists(seat)))
        .order(accounts::id)
        .limit(limit)
        .select(accounts::id)
        .into_boxed();
    if let Some(only) = only {
        query = query.filter(accounts::id.eq(only.0));
    }
    Ok(query.load(&mut connection).await?)
}

/// Erases all personal data of a locked account and renames it. The account has left its matches; its history
/// was erased before, except for matches that were still open then.
///
/// Rows of sessions and tokens stay for a day, because other instances have yet to read their end for the
/// revocation list.
///
/// # Errors
/// `Taken("accounts_username_key")` if the name is in use.
pub async fn account_anonymise_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    name: &str,
    unclosed: &[Uuid],
) -> Result<(), StoreError> {
    // Taken first, before any lock that play could wait for.
    rating_lock_in_txn(connection).await?;
    let id = account.0;
    diesel::update(accounts::table.find(id))
        .set((
            accounts::username.eq(name),
            accounts::password_hash.eq(""),
            // Instances of 1.0.0 do not clear them when the deletion begins.
            accounts::oidc_issuer.eq(None::<String>),
            accounts::oidc_subject.eq(None::<String>),
            accounts::display_name.eq(None::<String>),
            accounts::display_skeleton.eq(None::<String>),
            accounts::language.eq(None::<String>),
            accounts::time_zone.eq(None::<String>),
            accounts::owner_id.eq(None::<Uuid>),
            accounts::suspension_reason.eq(None::<String>),
            accounts::renamed_at.eq(clock_timestamp().nullable()),
            accounts::deleted_at.eq(clock_timestamp().nullable()),
        ))
        .execute(&mut connection)
        .await?;
    for matches in unclosed.chunks(HISTORY_BATCH) {
        history_erase_in_txn(connection, account, matches).await?;
    }
    let of_account = sessions::table.filter(sessions::account_id.eq(id));
    diesel::update(of_account).set(sessions::device.eq(NAMELESS)).execute(&mut connection).await?;
    let of_account = personal_tokens::table.filter(personal_tokens::account_id.eq(id));
    diesel::update(of_account)
        .set((personal_tokens::name.eq(NAMELESS), personal_tokens::issued_to.eq(None::<String>)))
        .execute(&mut connection)
        .await?;
    let wishes = friend_requests::wisher_id.eq(id).or(friend_requests::wished_id.eq(id));
    diesel::delete(friend_requests::table.filter(wishes)).execute(&mut connection).await?;
    let blocked = blocks::blocker_id.eq(id).or(blocks::blocked_id.eq(id));
    diesel::delete(blocks::table.filter(blocked)).execute(&mut connection).await?;
    // Instances of 1.0.0 do not delete them when the deletion begins.
    passkey_delete_all(connection, &[id]).await?;
    channel_delete_all_in_txn(connection, &[id]).await?;
    notice_settings_delete(connection, account).await?;
    shared_browser_delete_all(connection, id).await?;
    report_erase_in_txn(connection, account).await?;
    decision_erase_in_txn(connection, account).await?;
    diesel::delete(quiet_hours::table.find(id)).execute(&mut connection).await?;
    diesel::delete(vacations::table.filter(vacations::account_id.eq(id))).execute(&mut connection).await?;
    // The account's rating changes stay, and their effect on other players, but it is no longer listed.
    rating_unlist_in_txn(connection, account).await?;
    Ok(())
}

/// The next page of the matches of an account, after an identifier; excludes the given ones.
///
/// # Errors
/// Any database error.
pub async fn history_batch(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    after: Uuid,
    without: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    Ok(seats::table
        .filter(seats::account_id.eq(account.0))
        .filter(seats::match_id.gt(after))
        .filter(seats::match_id.ne_all(without))
        .order(seats::match_id)
        .limit(i64::try_from(HISTORY_BATCH).unwrap_or(i64::MAX))
        .select(seats::match_id)
        .load(&mut connection)
        .await?)
}

/// Erases the dedications and the calendar of an account from some of its matches: from the logs and the
/// clocks.
///
/// The matches are over or the account has left them, so no deadline depends on the calendar.
///
/// # Errors
/// Any database error.
pub async fn history_erase_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    matches: &[Uuid],
) -> Result<(), StoreError> {
    // Match locks are taken in identifier order everywhere, and before rows of the log, as by the archiver.
    let statements = [
        "SELECT s.match_id FROM match_states s JOIN seats p ON p.match_id = s.match_id WHERE p.account_id = $1 \
         AND p.match_id = ANY ($2) AND s.status IN ('finished', 'cancelled') ORDER BY s.match_id FOR UPDATE OF s",
        "UPDATE dedications SET text = '' FROM seats WHERE seats.account_id = $1 AND seats.match_id = ANY ($2) \
         AND dedications.match_id = seats.match_id AND dedications.seat = seats.seat AND dedications.text <> ''",
        "UPDATE actions SET detail = (detail::jsonb - $1::text)::text FROM seats \
         WHERE seats.account_id = $1 AND seats.match_id = ANY ($2) \
         AND actions.match_id = seats.match_id AND actions.kind = 's' AND actions.detail LIKE '%' || $1::text || '%'",
        "UPDATE actions SET detail = jsonb_set(detail::jsonb, '{calendar}', '{}')::text FROM seats \
         WHERE seats.account_id = $1 AND seats.match_id = ANY ($2) AND actions.match_id = seats.match_id \
         AND actions.kind = 'q' AND actions.seat = seats.seat",
        "WITH locked AS (SELECT s.match_id, p.seat FROM match_states s JOIN seats p ON p.match_id = s.match_id \
         WHERE p.account_id = $1 AND p.match_id = ANY ($2) AND s.clocks LIKE '%time_zone%' \
         ORDER BY s.match_id FOR UPDATE OF s) \
         UPDATE match_states s SET clocks = ((s.clocks::jsonb #- ARRAY['s', locked.seat::text, 'c']) \
         #- ARRAY['s', locked.seat::text, 'q'])::text FROM locked WHERE s.match_id = locked.match_id",
        "UPDATE rounds SET next_clocks = ((next_clocks::jsonb #- ARRAY['s', seats.seat::text, 'c']) \
         #- ARRAY['s', seats.seat::text, 'q'])::text FROM seats WHERE seats.account_id = $1 \
         AND seats.match_id = ANY ($2) AND rounds.match_id = seats.match_id AND rounds.next_clocks LIKE '%time_zone%'",
    ];
    for statement in statements {
        diesel::sql_query(statement)
            .bind::<SqlUuid, _>(account.0)
            .bind::<Array<SqlUuid>, _>(matches)
            .execute(&mut connection)
            .await?;
    }
    archived_log_erase_in_txn(connection, account, matches).await
}

/// Deletes one batch of an account's growing rows; returns the number of rows.
///
/// Of challenges only the seed is erased: where a challenge became a match, the seat has a copy.
///
/// # Errors
/// Any database error.
pub async fn own_rows_delete(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<usize, StoreError> {
    const DELETED: [&str; 6] = [
        "idempotency_keys",
        "pairings",
        "standing_orders",
        "match_last_seen",
        "challenge_events",
        "daily_counts",
    ];
    let found = |table: &str| format!("SELECT ctid FROM {table} WHERE account_id = $1");
    let deletes = DELETED.map(|table| (format!("DELETE FROM {table}"), found(table)));
    let emptied = "challenge_members";
    let empties = format!("UPDATE {emptied} SET client_seed = ''");
    let emptied = (empties, format!("{} AND client_seed <> ''", found(emptied)));
    let mut count = 0;
    for (change, rows) in deletes.into_iter().chain([emptied]) {
        let statement = format!("{change} WHERE ctid = ANY (ARRAY({rows} LIMIT $2)) AND account_id = $1");
        count += diesel::sql_query(statement)
            .bind::<SqlUuid, _>(account.0)
            .bind::<BigInt, _>(OWN_ROWS_BATCH)
            .execute(&mut connection)
            .await?;
    }
    Ok(count)
}
