//! Rows of `server_secrets`: what the service drew for itself because nothing was configured.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::error::StoreError;
use super::schema::server_secrets;

/// Those of these names, as far as there are any, by name.
///
/// # Errors
/// Only those of the database.
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

/// The secret of this name; `drawn` is stored and answered if there is none yet. Several instances may ask at once.
///
/// # Errors
/// Only those of the database.
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
