//! Rows of `channels` as far as only e-mail has them: addresses, their verification, unsubscribing.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Double, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChannelId};

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::notifications::channels::{ChannelRow, EMAIL, FORMER_EMAIL};
use crate::schema::channels;

/// The e-mail channels of an account: at most one that is verified, and one that is not.
///
/// # Errors
/// Any database error.
pub async fn email_channel_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::account_id.eq(account.0))
        .filter(channels::format.eq(EMAIL))
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// The verified e-mail channels of an address, whatever its case; the newest first, at most `limit`.
///
/// # Errors
/// Any database error.
pub async fn email_channel_list_by_address(
    mut connection: &AsyncPgConnection,
    address: &str,
    limit: i64,
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(
            diesel::dsl::sql::<diesel::sql_types::Bool>("lower(url) = lower(")
                .bind::<Text, _>(address)
                .sql(")"),
        )
        .filter(channels::format.eq(EMAIL))
        .filter(channels::verified_at.is_not_null())
        .order(channels::id.desc())
        .limit(limit)
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// An e-mail channel of any account, in this format: `EMAIL` or `FORMER_EMAIL`.
///
/// # Errors
/// Any database error.
pub async fn email_channel_find(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    format: &str,
) -> Result<Option<ChannelRow>, StoreError> {
    Ok(channels::table
        .find(id)
        .filter(channels::format.eq(format))
        .select(ChannelRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Marks an e-mail channel as verified; the account must have no other that is. As a former address it is forgotten.
///
/// # Errors
/// Any database error.
pub async fn email_channel_verify_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<(), StoreError> {
    forget_former(connection, row).await?;
    diesel::update(channels::table.find(row.id).filter(channels::verified_at.is_null()))
        .set(channels::verified_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Makes a verified e-mail channel a former one, which can be taken back.
///
/// # Errors
/// Any database error.
pub async fn email_channel_retire_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<(), StoreError> {
    forget_former(connection, row).await?;
    diesel::update(channels::table.find(row.id))
        .set((
            channels::format.eq(FORMER_EMAIL),
            channels::verified_at.eq(None::<DateTime<Utc>>),
            channels::ended_at.eq(clock_timestamp().nullable()),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Takes a former e-mail channel back, in the place of the account's address and of all that were removed after it;
/// returns whether it still was one.
///
/// # Errors
/// Any database error.
pub async fn email_channel_take_back_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<bool, StoreError> {
    let later = channels::format.eq(FORMER_EMAIL).and(channels::ended_at.gt(row.ended_at));
    let replaced = channels::table
        .filter(channels::account_id.eq(row.account_id))
        .filter(channels::format.eq(EMAIL).or(later));
    diesel::delete(replaced).execute(&mut connection).await?;
    let taken = diesel::update(channels::table.find(row.id).filter(channels::format.eq(FORMER_EMAIL)))
        .set((
            channels::format.eq(EMAIL),
            channels::verified_at.eq(clock_timestamp().nullable()),
            channels::ended_at.eq(None::<DateTime<Utc>>),
        ))
        .execute(&mut connection)
        .await?;
    Ok(taken > 0)
}

/// Deletes the account's former channels of the same address.
async fn forget_former(mut connection: &AsyncPgConnection, row: &ChannelRow) -> Result<(), StoreError> {
    let same =
        diesel::dsl::sql::<diesel::sql_types::Bool>("lower(url) = lower(").bind::<Text, _>(&row.url).sql(")");
    let former = channels::table
        .filter(channels::account_id.eq(row.account_id))
        .filter(channels::format.eq(FORMER_EMAIL))
        .filter(same);
    diesel::delete(former).execute(&mut connection).await?;
    Ok(())
}

/// Ends all subscriptions of an e-mail channel. The address stays, for a reset of the password.
///
/// # Errors
/// Any database error.
pub async fn email_channel_unsubscribe(
    mut connection: &AsyncPgConnection,
    id: ChannelId,
) -> Result<(), StoreError> {
    diesel::update(channels::table.find(id.0).filter(channels::format.eq(EMAIL)))
        .set(channels::kinds.eq(0))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes e-mail channels that have not been verified, or not been taken back, within this time.
///
/// # Errors
/// Any database error.
pub async fn email_channel_forget(
    mut connection: &AsyncPgConnection,
    kept: TimeDelta,
) -> Result<(), StoreError> {
    diesel::sql_query(
        "DELETE FROM channels WHERE format = 'email' AND verified_at IS NULL \
             AND created_at < now() - make_interval(secs => $1) \
         OR format = 'former_email' AND ended_at < now() - make_interval(secs => $1)",
    )
    .bind::<Double, _>(kept.as_seconds_f64())
    .execute(&mut connection)
    .await?;
    Ok(())
}
