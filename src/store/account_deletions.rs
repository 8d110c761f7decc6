//! How rows of `accounts` end: the mark by which a deletion begins, those that nobody gets into any more, and the end of
//! everything personal, in whatever table it is.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel::sql_types::{Double, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::accounts::KIND_GUEST;
use super::channels::channel_delete_all_in_txn;
use super::clock::clock_timestamp;
use super::error::StoreError;
use super::match_looks::look_delete_all_in_txn;
use super::notice_settings::notice_settings_delete;
use super::rating_queue::rating_lock_in_txn;
use super::ratings::rating_unlist_in_txn;
use super::schema::{
    accounts, blocks, challenge_keys, challenge_members, creation_keys, friend_wishes, match_states,
    pairing_keys, pairings, personal_tokens, quiet_hours, seats, sessions, standing_orders, vacations,
};
use crate::ids::AccountId;

/// What stands where somebody's name for a device or a token stood.
const NAMELESS: &str = "deleted";

/// An account whose deletion has begun, or may begin.
#[derive(Clone, Debug, Queryable)]
pub struct Leaving {
    /// Its identifier.
    pub id: Uuid,
    /// PHC string of argon2id; empty where there is no password.
    pub password_hash: String,
    /// When its deletion began.
    pub deletion_asked_at: Option<DateTime<Utc>>,
    /// When it was over.
    pub deleted_at: Option<DateTime<Utc>>,
}

/// Locks an account and its bots; the account is the first, if it is there. It is locked before its bots are looked for:
/// while one is made, it is locked.
///
/// # Errors
/// `Busy` if others hold one for too long.
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

/// Marks locked accounts: everything that they could act by ends. Says which sessions and tokens that were.
///
/// # Errors
/// Only those of the database.
pub async fn leaving_mark_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    diesel::update(accounts::table.filter(accounts::id.eq_any(ids)))
        .filter(accounts::deletion_asked_at.is_null())
        .set((accounts::deletion_asked_at.eq(clock_timestamp().nullable()), accounts::password_hash.eq("")))
        .execute(&mut connection)
        .await?;
    channel_delete_all_in_txn(connection, ids).await?;
    let mut ended: Vec<Uuid> = diesel::update(sessions::table.filter(sessions::account_id.eq_any(ids)))
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
    ended.extend(tokens);
    Ok(ended)
}

/// Accounts whose deletion began so long ago and is not over.
///
/// # Errors
/// Only those of the database.
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

/// Guests that nobody gets into any more and who are in no match that waits or runs: any, or whether this is one.
///
/// # Errors
/// Only those of the database.
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

/// Takes away everything personal of a locked account that has left its matches, and gives it a name.
///
/// Sessions and tokens keep a row for a day, as other instances have yet to hear that they have ended.
///
/// # Errors
/// `Taken("accounts_username_key")` if the name is in use.
pub async fn account_anonymise_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    name: &str,
) -> Result<(), StoreError> {
    // Waited for before anything is locked that somebody plays with.
    rating_lock_in_txn(connection).await?;
    let id = account.0;
    diesel::update(accounts::table.find(id))
        .set((
            accounts::username.eq(name),
            accounts::password_hash.eq(""),
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
    diesel::sql_query(
        "UPDATE gifts SET text = '' FROM seats WHERE seats.account_id = $1 AND gifts.match_id = seats.match_id \
         AND gifts.seat = seats.seat AND gifts.text <> ''",
    )
    .bind::<SqlUuid, _>(id)
    .execute(&mut connection)
    .await?;
    let of_account = sessions::table.filter(sessions::account_id.eq(id));
    diesel::update(of_account).set(sessions::device.eq(NAMELESS)).execute(&mut connection).await?;
    let of_account = personal_tokens::table.filter(personal_tokens::account_id.eq(id));
    diesel::update(of_account).set(personal_tokens::name.eq(NAMELESS)).execute(&mut connection).await?;
    let wishes = friend_wishes::wisher_id.eq(id).or(friend_wishes::wished_id.eq(id));
    diesel::delete(friend_wishes::table.filter(wishes)).execute(&mut connection).await?;
    let blocked = blocks::blocker_id.eq(id).or(blocks::blocked_id.eq(id));
    diesel::delete(blocks::table.filter(blocked)).execute(&mut connection).await?;
    let keys = pairing_keys::table.filter(pairing_keys::account_id.eq(id));
    diesel::delete(keys).execute(&mut connection).await?;
    diesel::delete(pairings::table.filter(pairings::account_id.eq(id))).execute(&mut connection).await?;
    // Where a match came of it, the seat has the seed.
    let of_account = challenge_members::table.filter(challenge_members::account_id.eq(id));
    diesel::update(of_account).set(challenge_members::client_seed.eq("")).execute(&mut connection).await?;
    channel_delete_all_in_txn(connection, &[id]).await?;
    look_delete_all_in_txn(connection, id).await?;
    notice_settings_delete(connection, account).await?;
    let keys = challenge_keys::table.filter(challenge_keys::account_id.eq(id));
    diesel::delete(keys).execute(&mut connection).await?;
    calendar_erase_in_txn(connection, id).await?;
    diesel::delete(quiet_hours::table.find(id)).execute(&mut connection).await?;
    diesel::delete(vacations::table.filter(vacations::account_id.eq(id))).execute(&mut connection).await?;
    let orders = standing_orders::table.filter(standing_orders::account_id.eq(id));
    diesel::delete(orders).execute(&mut connection).await?;
    let keys = creation_keys::table.filter(creation_keys::account_id.eq(id));
    diesel::delete(keys).execute(&mut connection).await?;
    // What its matches did to others' ratings stays, and so does its own; but nobody finds it.
    rating_unlist_in_txn(connection, account).await?;
    Ok(())
}

/// Takes the calendar of an account out of the matches that it was in, which have it in their logs and beside their clocks.
/// It is out of them, or they are over: no deadline depends on it any more.
async fn calendar_erase_in_txn(mut connection: &AsyncPgConnection, id: Uuid) -> Result<(), StoreError> {
    // Locks of matches are taken in their order everywhere.
    let statements = [
        "UPDATE actions SET detail = (detail::jsonb - $1::text)::text FROM seats WHERE seats.account_id = $1 \
         AND actions.match_id = seats.match_id AND actions.kind = 's' AND actions.detail LIKE '%' || $1::text || '%'",
        "UPDATE actions SET detail = jsonb_set(detail::jsonb, '{calendar}', '{}')::text FROM seats \
         WHERE seats.account_id = $1 AND actions.match_id = seats.match_id AND actions.kind = 'q' \
         AND actions.seat = seats.seat",
        "WITH locked AS (SELECT s.match_id, p.seat FROM match_states s JOIN seats p ON p.match_id = s.match_id \
         WHERE p.account_id = $1 AND s.clocks LIKE '%time_zone%' ORDER BY s.match_id FOR UPDATE OF s) \
         UPDATE match_states s SET clocks = ((s.clocks::jsonb #- ARRAY['s', locked.seat::text, 'c']) \
         #- ARRAY['s', locked.seat::text, 'q'])::text FROM locked WHERE s.match_id = locked.match_id",
    ];
    for statement in statements {
        diesel::sql_query(statement).bind::<SqlUuid, _>(id).execute(&mut connection).await?;
    }
    Ok(())
}
