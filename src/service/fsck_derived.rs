//! What is derived from a match, held against what its log comes to: what it counts for statistics, and what it did to ratings.

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_engine::Match;

use super::ServiceError;
use super::bookkeeper::tallies_of;
use super::fsck::{Findings, Stored};
use super::rating_order::{RatedMatch, changes_of};
use super::status::Status;
use super::table::Table;
use crate::store::StoreError;

/// So late may be counted and rated what has ended.
const DONE_WITHIN: TimeDelta = TimeDelta::hours(2);

/// Compares all of it.
pub(super) fn compare_derived(stored: &Stored, table: &Table, findings: &mut Findings) {
    let long_ago = |at: DateTime<Utc>| stored.audit.now.signed_duration_since(at) > DONE_WITHIN;
    let over = table.rounds.iter().filter(|round| long_ago(round.ended_at)).count();
    if i64::try_from(over).is_ok_and(|over| over > stored.derived.counted) {
        findings.differs("rounds.counted_at: rounds that were never counted");
    }
    if table.settings.rated && !stored.derived.rated && table.finished_at.is_some_and(long_ago) {
        findings.differs("matches.rated_at: a match that was never rated");
    }
    if compare_tallies(stored, findings).is_err() {
        findings.differs("tallies: more rounds are counted than the log has");
    }
    if compare_changes(stored, table, findings).is_err() {
        findings.differs("rating_changes: the match cannot be rated");
    }
}

/// Rounds that the bookkeeper has yet to count are in none of it.
fn compare_tallies(stored: &Stored, findings: &mut Findings) -> Result<(), ServiceError> {
    let row = &stored.rows.row;
    let given = &stored.derived.tallies;
    let counted = i16::try_from(stored.derived.counted).map_err(ServiceError::internal)?;
    let expected = match row.sandbox {
        true => Vec::new(),
        false => tallies_of(row, &stored.rows.seats, &stored.log, counted)?,
    };
    findings.compare("tallies", given.len(), expected.len());
    for (given, expected) in given.iter().zip(&expected).filter(|(given, expected)| given != expected) {
        if given.counted == expected.counted {
            findings.differs(format!("tallies of seat {}", given.seat));
        } else {
            let what = format!("tallies.counted of seat {}", given.seat);
            findings.compare(&what, given.counted, expected.counted);
        }
    }
    Ok(())
}

/// The same of a match that the rater has yet to rate.
fn compare_changes(stored: &Stored, table: &Table, findings: &mut Findings) -> Result<(), ServiceError> {
    let given = &stored.derived.changes;
    let over = table.game.as_ref().filter(|_| table.status == Status::Finished && table.settings.rated);
    let Some(game) = over.filter(|_| stored.derived.rated) else {
        findings.compare("rating_changes", given.len(), 0);
        return Ok(());
    };
    let rated = rated(table, game)?;
    let changes: Vec<_> = given.iter().map(|given| given.change.clone()).collect();
    findings.compare("rating_changes", given.len(), rated.places.len());
    for (given, expected) in given.iter().zip(changes_of(&rated, &changes)) {
        let number = given.change.number;
        if given.change != expected {
            findings.differs("rating_changes: not what the match comes to");
        }
        if !given.continues {
            findings.differs(format!("rating_changes: number {number} does not follow the one before it"));
        }
        if !given.stands {
            findings.differs(format!("ratings: not as number {number}, the newest, ended"));
        }
    }
    Ok(())
}

fn rated(table: &Table, game: &Match) -> Result<RatedMatch, ServiceError> {
    let preset = table.settings.preset.clone();
    let preset = preset.ok_or_else(|| StoreError::Damaged(format!("preset of {}", table.id())))?;
    let players = table.players.iter().map(|player| (player.account.0, player.bot)).collect();
    RatedMatch::of(table.id().0, table.at, preset, game, players)
}
