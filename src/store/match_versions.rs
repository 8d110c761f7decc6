//! How matches stand, for as many as have been asked for at the same time: what a copy in memory is compared with.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::match_states;

/// What tells one state of a match from every other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Queryable)]
pub struct MatchVersion {
    /// Number of the newest entry of the log.
    pub version: i32,
    /// Number of dedications, which have no version.
    pub gifts: i16,
    /// When the newest entry was accepted: after a loss (a failover to a standby that was behind, a restored backup)
    /// the same version can come again with another content.
    pub updated_at: DateTime<Utc>,
}

/// How these matches stand, in the order asked; none where there is no such match.
///
/// # Errors
/// Only those of the database.
pub async fn match_version_list(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<Option<MatchVersion>>, StoreError> {
    let found: Vec<(Uuid, MatchVersion)> = match_states::table
        .filter(match_states::match_id.eq_any(ids))
        .select((
            match_states::match_id,
            (match_states::version, match_states::gifts, match_states::updated_at),
        ))
        .load(&mut connection)
        .await?;
    let version = |id: &Uuid| found.iter().find(|(found, _)| found == id).map(|(_, version)| *version);
    Ok(ids.iter().map(version).collect())
}
