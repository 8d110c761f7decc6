//! Comparison of a match's derived data, statistics and rating changes, with the replay of its log.

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_db::StoreError;
use yaniv_engine::Match;
use yaniv_match::MatchState;
use yaniv_match::status::Status;

use crate::ServiceError;
use crate::admin::integrity::check::{Findings, Stored};
use crate::matches::log::events_of;
use crate::ratings::order::{RatedMatch, changes_of};
use crate::statistics::worker::tallies_of;

/// Time after the end within which a round must be counted and a match rated.
const DONE_WITHIN: TimeDelta = TimeDelta::hours(2);

/// Compares the derived data.
pub(crate) fn compare_derived(stored: &Stored, state: &MatchState, findings: &mut Findings) {
    let long_ago = |at: DateTime<Utc>| stored.audit.now.signed_duration_since(at) > DONE_WITHIN;
    let counted = counted(stored);
    let over = state.rounds().iter().filter(|round| long_ago(round.ended_at)).count();
    if i64::try_from(over).is_ok_and(|over| over > counted) {
        findings.differs("rounds.counted_at: rounds that were never counted");
    }
    if state.settings().rated && !stored.derived.rated && state.finished_at().is_some_and(long_ago) {
        findings.differs("matches.rated_at: a match that was never rated");
    }
    if compare_tallies(stored, findings).is_err() {
        findings.differs("tallies: more rounds are counted than the log has");
    }
    if compare_changes(stored, state, findings).is_err() {
        findings.differs("rating_changes: the match cannot be rated");
    }
}

/// The number of counted rounds.
fn counted(stored: &Stored) -> i64 {
    let all = || i64::try_from(stored.rows.rounds.len()).unwrap_or(i64::MAX);
    stored.derived.counted.unwrap_or_else(all)
}

/// Compares the statistics. They exclude rounds that the statistics worker has yet to count.
fn compare_tallies(stored: &Stored, findings: &mut Findings) -> Result<(), ServiceError> {
    let row = &stored.rows.row;
    let given = &stored.derived.tallies;
    let counted = i16::try_from(counted(stored)).map_err(ServiceError::internal)?;
    let expected = match row.sandbox {
        true => Vec::new(),
        false => tallies_of(row, &stored.rows.seats, &events_of(&stored.log)?, counted)?,
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

/// Compares the rating changes. There are none of a match that the rating worker has yet to rate.
fn compare_changes(stored: &Stored, state: &MatchState, findings: &mut Findings) -> Result<(), ServiceError> {
    let given = &stored.derived.changes;
    let over = state.game().filter(|_| state.status() == Status::Finished && state.settings().rated);
    let Some(game) = over.filter(|_| stored.derived.rated) else {
        findings.compare("rating_changes", given.len(), 0);
        return Ok(());
    };
    let rated = rated(state, game)?;
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

fn rated(state: &MatchState, game: &Match) -> Result<RatedMatch, ServiceError> {
    let preset = state.settings().preset.clone();
    let preset = preset.ok_or_else(|| StoreError::Damaged(format!("preset of {}", state.id())))?;
    let players = state.players().iter().map(|player| (player.account.0, player.bot)).collect();
    RatedMatch::of(state.id().0, state.at(), preset, game, players)
}
