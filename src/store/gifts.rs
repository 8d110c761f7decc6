//! Rows of `gifts`: dedications of turned-up cards. Read by `table_load`.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::actions::KIND_ACTION;
use super::error::StoreError;
use super::schema::{actions, gifts, match_states};
use crate::ids::MatchId;

/// A dedication.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct GiftRow {
    /// Round whose turned-up card it belongs to.
    pub round: i16,
    /// Seat that dealt.
    pub seat: i16,
    /// The words.
    pub text: String,
    /// Version of the match when it was made.
    pub after_version: i32,
}

/// Stores a dedication and counts it, inside a transaction that has locked the match.
///
/// # Errors
/// `Taken("gifts_pkey")` if the round has one.
pub async fn gift_insert_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    gift: &GiftRow,
) -> Result<(), StoreError> {
    diesel::insert_into(gifts::table)
        .values((
            gifts::match_id.eq(match_id.0),
            gifts::round.eq(gift.round),
            gifts::seat.eq(gift.seat),
            gifts::text.eq(&gift.text),
            gifts::after_version.eq(gift.after_version),
        ))
        .execute(&mut connection)
        .await?;
    diesel::update(match_states::table.find(match_id.0))
        .set(match_states::gifts.eq(match_states::gifts + 1))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Whether anything has been played in a round by a version. What is no action, as another calendar of a player, does not
/// begin it.
///
/// # Errors
/// Only those of the database.
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
