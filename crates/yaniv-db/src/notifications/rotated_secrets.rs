//! Rows of `rotated_secrets`: secrets of webhooks that were replaced, and sign besides the current one for a time.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::notifications::channels::ChannelRow;
use crate::schema::{channels, rotated_secrets};

/// Until when the replaced secrets of a webhook sign, the first to end first.
///
/// # Errors
/// Any database error.
pub async fn rotated_secret_ends(
    mut connection: &AsyncPgConnection,
    channel: Uuid,
) -> Result<Vec<DateTime<Utc>>, StoreError> {
    Ok(rotated_secrets::table
        .filter(rotated_secrets::channel_id.eq(channel))
        .filter(rotated_secrets::signs_until.gt(clock_timestamp()))
        .order(rotated_secrets::signs_until)
        .select(rotated_secrets::signs_until)
        .load(&mut connection)
        .await?)
}

/// Replaces the secret of a webhook; the old one signs until then.
///
/// # Errors
/// Any database error.
pub async fn secret_rotate_in_txn(
    mut connection: &AsyncPgConnection,
    channel: Uuid,
    secret: &[u8],
    until: DateTime<Utc>,
) -> Result<ChannelRow, StoreError> {
    let current: Vec<u8> =
        channels::table.find(channel).select(channels::secret).first(&mut connection).await?;
    let rotated = (
        rotated_secrets::channel_id.eq(channel),
        rotated_secrets::secret.eq(&current),
        rotated_secrets::signs_until.eq(until),
    );
    diesel::insert_into(rotated_secrets::table).values(rotated).execute(&mut connection).await?;
    Ok(diesel::update(channels::table.find(channel))
        .set((
            channels::previous_secret.eq(Some(&current)),
            channels::previous_until.eq(Some(until)),
            channels::secret.eq(secret),
        ))
        .returning(ChannelRow::as_returning())
        .get_result(&mut connection)
        .await?)
}

/// Deletes secrets that no longer sign.
///
/// # Errors
/// Any database error.
pub async fn rotated_secret_forget(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::delete(rotated_secrets::table.filter(rotated_secrets::signs_until.lt(clock_timestamp())))
        .execute(&mut connection)
        .await?;
    Ok(())
}
