//! Name lookups in `accounts` by skeleton (the form in which lookalike names are equal), and recent changes
//! of names. Skeletons are computed in the application layer.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{Array, Double, Nullable, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::schema::accounts;

/// Which kinds of names already use a skeleton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LookTaken {
    /// A username does.
    pub by_username: bool,
    /// A display name does.
    pub by_display_name: bool,
}

/// Locks skeletons until the transaction ends, so that no other account takes a name with one of them.
///
/// # Errors
/// `Busy` if a lock is not acquired in time.
pub async fn look_lock_in_txn(
    mut connection: &AsyncPgConnection,
    skeletons: &[&str],
) -> Result<(), StoreError> {
    // Same lock order everywhere.
    diesel::sql_query(
        "SELECT count(pg_advisory_xact_lock(key)) FROM \
         (SELECT DISTINCT hashtextextended(look, 20261121) AS key FROM unnest($1) AS look ORDER BY key) AS keys",
    )
    .bind::<Array<Text>, _>(skeletons)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Whether a name of another account has this skeleton.
///
/// # Errors
/// Any database error.
pub async fn look_find(
    mut connection: &AsyncPgConnection,
    skeleton: &str,
    but: Uuid,
) -> Result<LookTaken, StoreError> {
    let others = accounts::table.filter(accounts::id.ne(but));
    let by_username = others.filter(accounts::username_skeleton.eq(skeleton));
    let by_display_name = others.filter(accounts::display_skeleton.eq(skeleton));
    let (by_username, by_display_name) =
        diesel::select((diesel::dsl::exists(by_username), diesel::dsl::exists(by_display_name)))
            .get_result(&mut connection)
            .await?;
    Ok(LookTaken { by_username, by_display_name })
}

/// The current names of an account.
#[derive(Clone, Debug, PartialEq, Eq, QueryableByName)]
pub struct CurrentNames {
    /// The account.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Its username.
    #[diesel(sql_type = Text)]
    pub username: String,
    /// Its display name.
    #[diesel(sql_type = Nullable<Text>)]
    pub display_name: Option<String>,
}

/// Accounts whose username or display name changed within this time, with their current names.
///
/// # Errors
/// Any database error.
pub async fn rename_list(
    mut connection: &AsyncPgConnection,
    within: TimeDelta,
) -> Result<Vec<CurrentNames>, StoreError> {
    // By `now()`, as in `revocation_list`.
    Ok(diesel::sql_query(
        "SELECT id, username, display_name FROM accounts \
         WHERE renamed_at > now() - make_interval(secs => $1)",
    )
    .bind::<Double, _>(within.as_seconds_f64())
    .load(&mut connection)
    .await?)
}
