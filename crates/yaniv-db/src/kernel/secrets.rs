//! Rows of `server_secrets`: secrets that the service generated because none were configured.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;
use crate::schema::server_secrets;

/// The stored secrets of these names, by name.
///
/// # Errors
/// Any database error.
pub async fn secret_map(
    mut connection: &AsyncPgConnection,
    names: &[&str],
) -> Result<HashMap<String, Vec<u8>>, StoreError> {
    let rows: Vec<(String, Vec<u8>)> = server_secrets::table
        .filter(server_secrets::name.eq_any(names))
        .select((server_secrets::name, server_secrets::secret))
        .load(&mut connection)
        .await?;
    Ok(rows.into_iter().collect())
}

/// The secret of this name; stores and returns `drawn` if there is none yet. Safe for concurrent instances.
///
/// # Errors
/// Any database error.
pub async fn secret_find_or_insert(
    mut connection: &AsyncPgConnection,
    name: &str,
    drawn: &[u8],
) -> Result<Vec<u8>, StoreError> {
    diesel::insert_into(server_secrets::table)
        .values((server_secrets::name.eq(name), server_secrets::secret.eq(drawn)))
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    Ok(server_secrets::table.find(name).select(server_secrets::secret).first(&mut connection).await?)
}
