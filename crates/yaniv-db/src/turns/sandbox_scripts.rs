//! Rows of `scripts`: scripted next actions of the bots in sandboxes.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::schema::scripts;

/// The script of a seat, in the notation of the rules; none if never written.
///
/// # Errors
/// Any database error.
pub async fn script_find(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    seat: i16,
) -> Result<Option<Vec<String>>, StoreError> {
    let lines: Option<String> = scripts::table
        .find((match_id.0, seat))
        .select(scripts::actions)
        .first(&mut connection)
        .await
        .optional()?;
    Ok(lines.map(|lines| lines.lines().map(str::to_owned).collect()))
}

/// Overwrites the script of a seat, in a transaction that has locked the match.
///
/// # Errors
/// Any database error.
pub async fn script_save_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    seat: i16,
    actions: &[String],
) -> Result<(), StoreError> {
    let lines = actions.join("\n");
    diesel::insert_into(scripts::table)
        .values((scripts::match_id.eq(match_id.0), scripts::seat.eq(seat), scripts::actions.eq(&lines)))
        .on_conflict((scripts::match_id, scripts::seat))
        .do_update()
        .set(scripts::actions.eq(&lines))
        .execute(&mut connection)
        .await?;
    Ok(())
}
