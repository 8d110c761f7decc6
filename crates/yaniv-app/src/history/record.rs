//! The log of a match, its rounds, its clock ledger, its fairness data, and the record that anyone can
//! verify.

use std::ops::ControlFlow;
use std::sync::Arc;

use yaniv_engine::{Record, RecordBuilder, RecordPlayer, Seat, Seed, SeedChain};
use yaniv_match::MatchState;
use yaniv_match::clocks::{Clocks, LedgerLine};
use yaniv_match::event::{LoggedEvent, Names};
use yaniv_match::finished_round::FinishedRound;
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::fold_log::LogRange;
use crate::matches::log::log_load;
use crate::matches::replay_pool::ReplayPermit;
use crate::{ServiceError, Services};

/// Lines of the ledger per page; the lines of one log entry are never split.
const LEDGER_LINES: usize = 200;

/// A page of a log.
pub struct LogPage {
    /// Entries, oldest first.
    pub entries: Vec<LogEntry>,
    /// Newest version of the match, even if it is not on the page.
    pub version: i32,
    /// The match's clocks, which define its current time.
    pub clocks: Arc<Clocks>,
}

/// A page of the ledger of a match's clocks.
pub struct LedgerPage {
    /// Lines, oldest first.
    pub lines: Vec<LedgerLine>,
    /// Version up to which the ledger is complete.
    pub version: i32,
    /// The match's clocks, which define its current time.
    pub clocks: Arc<Clocks>,
}

/// Data that proves the shuffles of a match.
pub struct Fairness {
    /// The match.
    pub id: MatchId,
    /// The match's input to every shuffle.
    pub shuffled_as: String,
    /// `s[0]`.
    pub commitment: Seed,
    /// The players' inputs, by seat.
    pub client_seeds: Vec<String>,
    /// Finished rounds with their seeds.
    pub seeds: Vec<(u16, Seed)>,
}

impl Services {
    /// Entries of the log after a version, oldest first, as visible to the caller.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match.
    #[boxed]
    pub async fn log(
        &self,
        account: AccountId,
        id: MatchId,
        after: i32,
        limit: i64,
    ) -> Result<LogPage, ServiceError> {
        let state = self.match_to_read(account, id).await?;
        let connection = self.store.connection().await?;
        let (log, names) = log_load(&connection, id, (after, state.version()), limit).await?;
        let entries = LogEntry::all_for_viewer(&log, &names, &state, account);
        Ok(LogPage { entries, version: state.version(), clocks: Arc::clone(state.clocks()) })
    }

    /// Changes of the clocks after a version, oldest first, computed from the log.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller has a seat; `Busy`.
    #[boxed]
    pub async fn clock_changes(
        &self,
        account: AccountId,
        id: MatchId,
        after: i32,
    ) -> Result<LedgerPage, ServiceError> {
        let state = self.match_for(account, id).await?;
        let place = self.replay_pool.place(account)?;
        let mut start = self.start_before(&state, after).await?;
        start.keep_ledger();
        let range = LogRange { id, after: start.version(), up_to: state.version() };
        let write = move |(state, lines): &mut (MatchState, Vec<LedgerLine>),
                          log: &[LoggedEvent],
                          names: &Names| { write_page(state, lines, log, names, after) };
        let (_, lines) = self.work_through(&place, range, (start, Vec::new()), write).await?;
        let clocks = Arc::clone(state.clocks());
        // All lines of a version together.
        let Some(first_left) = lines.get(LEDGER_LINES).map(|line| line.version) else {
            return Ok(LedgerPage { lines, version: state.version(), clocks });
        };
        let version = first_left.saturating_sub(1).max(after.saturating_add(1));
        let lines = lines.into_iter().filter(|line| line.version <= version).collect();
        Ok(LedgerPage { lines, version, clocks })
    }

    /// Finished rounds with all cards.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match.
    #[boxed]
    pub async fn rounds(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<Vec<FinishedRound>>, ServiceError> {
        Ok(Arc::clone(self.match_to_read(account, id).await?.rounds()))
    }

    /// The fairness data of a match so far.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match.
    #[boxed]
    pub async fn fairness(&self, account: AccountId, id: MatchId) -> Result<Fairness, ServiceError> {
        let state = self.match_to_read(account, id).await?;
        let chain = state.seed_chain();
        let over: Vec<u16> = state.rounds().iter().map(|round| round.round).collect();
        // Backwards at one hash each; from the end of the chain it would be up to a thousand each.
        let mut seeds: Vec<(u16, Seed)> = Vec::new();
        for round in over.into_iter().rev() {
            let seed = seeds.last().map_or_else(|| chain.round(round), |(_, later)| later.previous());
            seeds.push((round, seed));
        }
        seeds.reverse();
        let client_seeds = state.players().iter().map(|player| player.client_seed.clone()).collect();
        let shuffled_as = state.settings().shuffled_as();
        Ok(Fairness { id, shuffled_as, commitment: chain.commitment(), client_seeds, seeds })
    }

    /// The record of a match, replayed from its log; of an unfinished round, only what the caller may see.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match; `NotStarted`; `Busy`.
    #[boxed]
    pub async fn record(&self, account: AccountId, id: MatchId) -> Result<Record, ServiceError> {
        let state = self.match_to_read(account, id).await?;
        if state.game().is_none() {
            return Err(ServiceError::NotStarted);
        }
        let place = self.replay_pool.place(account)?;
        Ok(self.replay_record(&place, &state, account).await?.finish(state.seat_of(account)))
    }

    /// Replays a started match into its record, with the dedications that an account may see.
    ///
    /// # Errors
    /// Those of the database; damaged data.
    pub(crate) async fn replay_record(
        &self,
        place: &Arc<ReplayPermit>,
        state: &Arc<MatchState>,
        viewer: AccountId,
    ) -> Result<RecordBuilder, ServiceError> {
        let range = LogRange { id: state.id(), after: 0, up_to: state.version() };
        let writing = (Arc::clone(state), begin_record(state, viewer)?);
        let writing = self.work_through(place, range, writing, move |(state, builder), log, _| {
            write_record(state, builder, log, viewer).map(ControlFlow::Continue)
        });
        Ok(writing.await?.1)
    }
}

/// Adds the ledger lines of entries after a version until the page is full.
fn write_page(
    state: &mut MatchState,
    lines: &mut Vec<LedgerLine>,
    log: &[LoggedEvent],
    names: &Names,
    after: i32,
) -> Result<ControlFlow<()>, ServiceError> {
    for entry in log {
        state.fold(entry, names)?;
        let written = state.take_ledger();
        if entry.version > after {
            lines.extend(written);
        }
        if lines.len() > LEDGER_LINES {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

fn begin_record(state: &MatchState, viewer: AccountId) -> Result<RecordBuilder, ServiceError> {
    let players = (0_u8..).zip(state.players().iter()).map(|(seat, player)| RecordPlayer {
        seat: Seat::new(seat),
        name: player.username.clone(),
        client_seed: player.client_seed.clone(),
    });
    let id = state.settings().shuffled_as();
    let mut builder =
        RecordBuilder::new(state.rules(), &id, players.collect(), SeedChain::clone(state.seed_chain()))?;
    dedicate(&mut builder, state, viewer)?;
    Ok(builder)
}

/// Replays log entries into the record. CPU-heavy: not for the threads that handle requests.
fn write_record(
    state: &MatchState,
    builder: &mut RecordBuilder,
    log: &[LoggedEvent],
    viewer: AccountId,
) -> Result<(), ServiceError> {
    for (entry, action) in log.iter().filter_map(|entry| Some((entry, entry.action()?))) {
        let at = entry.at.to_rfc3339_opts(chrono::SecondsFormat::Secs, true);
        let automatic = action.origin.name().map(str::to_owned);
        let played = builder.push_automatic(action.seat, &action.action, Some(at), automatic);
        let played = played.map_err(ServiceError::internal)?;
        if played.round_ended.is_some() && played.match_ended.is_none() {
            dedicate(builder, state, viewer)?;
        }
    }
    Ok(())
}

/// Adds the dedication of the round just dealt to the record.
fn dedicate(builder: &mut RecordBuilder, state: &MatchState, viewer: AccountId) -> Result<(), ServiceError> {
    let round = i32::from(builder.state().round());
    let Some(gift) = state.dedication_of_round(round, viewer) else { return Ok(()) };
    let seat = Seat::new(u8::try_from(gift.seat).map_err(ServiceError::internal)?);
    builder.gift(seat, &gift.text).map_err(ServiceError::internal)
}
