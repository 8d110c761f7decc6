//! Rows of `dedications`: dedications of turned-up cards. Loaded by `match_load`.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::matches::log::KIND_ACTION;
use crate::schema::{actions, dedications, match_states};

/// A dedication.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct DedicationRow {
    /// Round of the turned-up card.
    pub round: i16,
    /// Seat that dealt.
    pub seat: i16,
    /// Text of the dedication.
    pub text: String,
    /// Version of the match when the dedication was made.
    pub after_version: i32,
}

/// SQL expression for a match `s` of `match_states`: one number that changes whenever a dedication becomes
/// hidden or visible. 0 without dedications.
pub const HIDING: &str = "CASE WHEN s.gifts = 0 THEN 0 ELSE hashtextextended(concat( \
     (SELECT string_agg(g.round::text, ',' ORDER BY g.round) FROM dedications g WHERE g.match_id = s.match_id AND g.text = ''), ';', \
     (SELECT string_agg(concat(b.blocker_id, b.blocked_id), ',' ORDER BY b.blocker_id, b.blocked_id) \
      FROM blocks b JOIN seats r ON r.account_id = b.blocker_id JOIN seats d ON d.account_id = b.blocked_id \
      WHERE r.match_id = s.match_id AND d.match_id = s.match_id)), 0) END";

/// SQL expression for the same: blocks between the players of the match, as JSON. Null without dedications.
pub const BLOCKS: &str = "CASE WHEN s.gifts > 0 THEN (SELECT json_agg(json_build_array(b.blocker_id, b.blocked_id)) \
     FROM blocks b JOIN seats r ON r.account_id = b.blocker_id JOIN seats d ON d.account_id = b.blocked_id \
     WHERE r.match_id = s.match_id AND d.match_id = s.match_id) END";

/// Erases the text of a dedication and returns it, if there was one. The row stays, because matches count
/// their dedications.
///
/// # Errors
/// Any database error.
pub async fn dedication_empty_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    round: i16,
) -> Result<Option<String>, StoreError> {
    let row = dedications::table.find((match_id.0, round)).filter(dedications::text.ne(""));
    let text: Option<String> =
        row.for_update().select(dedications::text).first(&mut connection).await.optional()?;
    if text.is_some() {
        dedication_set_in_txn(connection, match_id, round, "").await?;
    }
    Ok(text)
}

/// Gives a dedication this text.
///
/// # Errors
/// Any database error.
pub async fn dedication_set_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    round: i16,
    text: &str,
) -> Result<(), StoreError> {
    diesel::update(dedications::table.find((match_id.0, round)))
        .set(dedications::text.eq(text))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Stores a dedication and counts it, in a transaction that has locked the match.
///
/// # Errors
/// `Taken("gifts_pkey")` if the round already has one.
pub async fn dedication_insert_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    gift: &DedicationRow,
) -> Result<(), StoreError> {
    diesel::insert_into(dedications::table)
        .values((
            dedications::match_id.eq(match_id.0),
            dedications::round.eq(gift.round),
            dedications::seat.eq(gift.seat),
            dedications::text.eq(&gift.text),
            dedications::after_version.eq(gift.after_version),
        ))
        .execute(&mut connection)
        .await?;
    diesel::update(match_states::table.find(match_id.0))
        .set(match_states::gifts.eq(match_states::gifts + 1))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Whether the round had an action by the given version. Entries that are no actions, such as a calendar
/// change, do not count.
///
/// # Errors
/// Any database error.
pub async fn round_has_begun(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    version: i32,
    round: i16,
) -> Result<bool, StoreError> {
    let newest: Option<i16> = actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::version.le(version))
        .filter(actions::kind.eq(KIND_ACTION))
        .order(actions::version.desc())
        .select(actions::round)
        .first(&mut connection)
        .await
        .optional()?;
    Ok(newest == Some(round))
}
