//! Loads a match from its rows: the current state, and the snapshot at the start of a round. Caching is in
//! `cache`.

use std::sync::{Arc, OnceLock};

use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::lobby::join_codes::JoinCodeRow;
use yaniv_db::matches::dedications::DedicationRow;
use yaniv_db::matches::load::{MatchRows, match_load, match_load_list};
use yaniv_db::matches::log::action_count;
use yaniv_db::matches::match_rows::{MatchRow, StateRow};
use yaniv_db::matches::rounds::{RoundRow, RoundStart};
use yaniv_db::matches::seats::SeatRow;
use yaniv_engine::{Match, Seat};
use yaniv_match::MatchState;
use yaniv_match::finished_round::FinishedRound;
use yaniv_match::join_code::JoinCode;
use yaniv_match::settings::{Dedication, Player, Settings, level_of};
use yaniv_match::state::{RoundStart as StartState, StoredMatch};
use yaniv_match::status::Status;
use yaniv_match::time_control::TimeControl;
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;

/// Loads the current match, in one round trip.
///
/// A second one is needed for an archived match, and for a running match whose stored position has no action count
/// (older format), until its next action.
///
/// # Errors
/// Those of the database, and damaged data.
pub(crate) async fn load_match(
    connection: &Connection,
    id: MatchId,
) -> Result<Option<MatchState>, ServiceError> {
    let Some(rows) = match_load(connection, id).await? else { return Ok(None) };
    let mut match_state = state_of_rows(rows)?;
    count_actions(connection, &mut match_state).await?;
    Ok(Some(match_state))
}

/// Loads these matches, in any order, in one round trip; see `load_match`. Matches that do not exist are left out.
///
/// # Errors
/// Those of the database, and damaged data.
pub(crate) async fn load_matches(
    connection: &Connection,
    ids: &[Uuid],
) -> Result<Vec<MatchState>, ServiceError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let rows = match_load_list(connection, ids).await?;
    let mut states = rows.into_iter().map(state_of_rows).collect::<Result<Vec<_>, _>>()?;
    for state in &mut states {
        count_actions(connection, state).await?;
    }
    Ok(states)
}

/// Whether it is a running match whose stored position has no action count.
pub(crate) fn lacks_action_count(match_state: &MatchState) -> bool {
    match_state.status() == Status::Running && match_state.game().is_some_and(|game| game.actions().is_none())
}

/// Counts the actions of a match that lacks the count.
async fn count_actions(connection: &Connection, match_state: &mut MatchState) -> Result<(), ServiceError> {
    if lacks_action_count(match_state) {
        let actions = action_count(connection, match_state.id(), match_state.version()).await?;
        match_state.set_actions(u64::try_from(actions).map_err(ServiceError::internal)?);
    }
    Ok(())
}

/// The match at version 0, from its row.
///
/// # Errors
/// If the stored rules are no longer valid, or the secret is damaged.
pub(crate) fn empty_match(row: &MatchRow) -> Result<MatchState, ServiceError> {
    Ok(MatchState::empty(settings_of(row)?, &row.secret)?)
}

/// The settings of a match, from its row.
///
/// # Errors
/// If the stored rules are no longer valid.
pub(crate) fn settings_of(row: &MatchRow) -> Result<Settings, ServiceError> {
    Ok(Settings {
        id: MatchId(row.id),
        first_code: Arc::new(JoinCode { code: row.code.clone(), expires_at: row.code_expires_at }),
        rules: yaniv_engine::rules_from_json(&row.rules).map_err(ServiceError::internal)?,
        preset: row.preset.clone(),
        size: row.size,
        seat_order: row.seat_order.clone(),
        commitment: row.commitment.clone(),
        visibility: row.visibility.clone(),
        time_control: TimeControl::from_stored(row.pace.as_ref())?,
        sandbox: row.sandbox,
        rated: row.rated,
        created_at: row.created_at,
        tag: OnceLock::new(),
    })
}

/// The match at a stored start of a round, without dedications.
///
/// # Errors
/// Damaged data.
pub(crate) fn at_round_start(now: &MatchState, start: &RoundStart) -> Result<MatchState, ServiceError> {
    let start = StartState {
        version: start.version,
        at: start.at,
        position: start.state.as_deref(),
        clocks: start.clocks.as_deref(),
    };
    Ok(now.at_round_start(&start)?)
}

/// The dedication of a row.
pub(crate) fn dedication_of(row: DedicationRow) -> Dedication {
    let DedicationRow { round, seat, text, after_version } = row;
    Dedication { round, seat, text, after_version }
}

/// The join code of a row.
pub(crate) fn join_code_of(row: JoinCodeRow) -> JoinCode {
    JoinCode { code: row.code, expires_at: row.expires_at }
}

/// The finished round of a row.
///
/// # Errors
/// Damaged data.
pub(crate) fn finished_round_of(row: RoundRow) -> Result<FinishedRound, ServiceError> {
    Ok(FinishedRound {
        round: u16::try_from(row.round).map_err(ServiceError::internal)?,
        starter: Seat::new(u8::try_from(row.starter).map_err(ServiceError::internal)?),
        last_version: row.last_version,
        score: row.result.map(serde_json::from_value).transpose().map_err(ServiceError::internal)?,
        ended_at: row.ended_at,
    })
}

/// The player of a row.
pub(crate) fn player_of(row: SeatRow) -> Player {
    Player {
        account: AccountId(row.account_id),
        username: row.username,
        display_name: row.display_name,
        bot: row.bot,
        level: level_of(row.level.as_deref()),
        client_seed: row.client_seed,
        stored_seat: row.seat,
    }
}

/// Builds the match from its rows.
///
/// # Errors
/// Damaged data.
pub(crate) fn state_of_rows(rows: MatchRows) -> Result<MatchState, ServiceError> {
    let MatchRows { row, state, seats, rounds, dedications, keys, mut codes, blocks, hiding } = rows;
    let rounds = rounds.into_iter().map(finished_round_of).collect::<Result<_, _>>()?;
    Ok(MatchState::from_stored(StoredMatch {
        settings: settings_of(&row)?,
        secret: &row.secret,
        version: state.version,
        status: Status::parse(&state.status)?,
        join_code: codes.pop().map(join_code_of),
        at: state.updated_at,
        started_at: row.started_at,
        finished_at: row.finished_at,
        players: seats.into_iter().map(player_of).collect(),
        position: state.state.as_deref(),
        clocks: state.clocks.as_deref(),
        rounds,
        dedications: dedications.into_iter().map(dedication_of).collect(),
        blocks,
        hiding,
        keys,
    })?)
}

/// The row of all columns that change with the match.
///
/// # Errors
/// If serialization fails.
pub(crate) fn state_of(match_state: &MatchState) -> Result<StateRow, ServiceError> {
    Ok(StateRow {
        match_id: match_state.id().0,
        version: match_state.version(),
        status: match_state.status().as_str().to_owned(),
        waiting_on: match_state.waiting_on(),
        state: match_state.game().map(Match::to_bytes),
        updated_at: match_state.at(),
        gifts: match_state.stands_at().dedications,
        check_at: match_state.check_at(),
        clocks: match_state.stored_clocks()?,
    })
}
