//! Verification of a record (rules §10 and §12): all its data are recomputed from the rules, the id and the seeds.
//! Identities of players and times cannot be verified.

use std::fmt;

use crate::cards::seat::Seat;
use crate::match_::state::Match;
use crate::record::document::{Drew, Record, RecordAction, RecordResult, RecordRound};
use crate::round::action::Action;
use crate::round::event::RoundResult;
use crate::rules::rule_set::Rules;
use crate::shuffle::seeds::{Seed, valid_client_seed};
use crate::shuffle::shuffler::Shuffler;

/// The first fault of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discrepancy {
    /// The round; `None`: the record as a whole.
    pub round: Option<u16>,
    /// The action within the round, from 0 on; `None`: the round as a whole.
    pub action: Option<usize>,
    /// The fault: lower case, no full stop.
    pub what: String,
}

/// Recomputes every card, score, total and result of a record. Of a running match it verifies the finished rounds and
/// the starter of the running one; the rest of that round is still secret.
///
/// # Errors
/// The first fault.
pub fn verify(record: &Record) -> Result<(), Discrepancy> {
    let (rules, client_seeds) = check_head(record)?;
    let seeds: Vec<Seed> = record.rounds.iter().map_while(|round| round.seed).collect();
    let shuffler = Shuffler::from_published(seeds, &record.match_id, &client_seeds);
    let players = u8::try_from(record.players.len()).unwrap_or(u8::MAX);
    let mut state = Match::start(&rules, players, &shuffler).map_err(|error| whole(error.to_string()))?;
    let mut before = record.commitment;
    for (number, round) in (1..).zip(&record.rounds) {
        let fail = |what: &str| Discrepancy { round: Some(number), action: None, what: what.to_owned() };
        ensure(!state.is_over(), || fail("the match was over before this round"))?;
        ensure(round.round == number, || fail("the number of the round"))?;
        let Some(seed) = round.seed else {
            // Only the starter of the running round can be verified.
            ensure(usize::from(number) == record.rounds.len(), || fail("the seed is missing"))?;
            ensure(record.result.is_none() && round.result.is_none(), || fail("the seed is missing"))?;
            let starter = number == 1 || round.starter == Seat::new(state.round_state.starter);
            return ensure(starter, || fail("the starter"));
        };
        ensure(seed.previous() == before, || fail("the seed does not belong to the chain"))?;
        before = seed;
        check_round(&mut state, round, &shuffler)?;
    }
    ensure(state.is_over(), || whole("the record ends before the match"))?;
    ensure(record.result == state.result(), || whole("the result of the match"))
}

/// Checks the record as a whole; returns its rules, and the client seeds by seat.
pub(crate) fn check_head(record: &Record) -> Result<(Rules, Vec<String>), Discrepancy> {
    ensure(record.format == Record::FORMAT, || whole("the format"))?;
    ensure(!record.match_id.contains(['\n', '\r']), || whole("the match id has a line break"))?;
    let rules = Rules::new(record.rules.clone()).map_err(|error| whole(format!("the rules: {error}")))?;
    let players = u8::try_from(record.players.len()).unwrap_or(u8::MAX);
    rules.check_players(players).map_err(|error| whole(error.to_string()))?;
    let mut client_seeds = vec![None; record.players.len()];
    for player in &record.players {
        let free = client_seeds.get_mut(player.seat.index()).filter(|seed| seed.is_none());
        let free = free.ok_or_else(|| whole("the seats of the players"))?;
        ensure(valid_client_seed(&player.client_seed), || whole("a client seed"))?;
        *free = Some(player.client_seed.clone());
    }
    ensure(!record.rounds.is_empty(), || whole("there are no rounds"))?;
    Ok((rules, client_seeds.into_iter().flatten().collect()))
}

fn check_round(state: &mut Match, round: &RecordRound, shuffler: &Shuffler) -> Result<(), Discrepancy> {
    let fail = |what: &str| Discrepancy { round: Some(round.round), action: None, what: what.to_owned() };
    let deal = state.round_state.deal_of_round(state.rules(), shuffler);
    ensure(round.starter.number() == state.round_state.starter, || fail("the starter"))?;
    ensure(round.hands == deal.hands, || fail("the hands dealt"))?;
    ensure(Some(round.upcard) == deal.upcard, || fail("the card turned up"))?;
    if let Some(gift) = &round.gift {
        ensure(gift.seat == state.dealer() && gift.is_valid(), || fail("the gift"))?;
    }
    let mut ended = None;
    for (index, action) in round.actions.iter().enumerate() {
        let at = |mut found: Discrepancy| {
            found.round = Some(round.round);
            found.action = Some(index);
            found
        };
        ensure(ended.is_none(), || at(whole("the round was over before this action")))?;
        ended = play(state, action, shuffler).map_err(at)?;
    }
    match (ended, &round.result) {
        (None, _) => Err(fail("the round has a seed, but is not over")),
        (Some(None), None) => Ok(()),
        (Some(None), Some(_)) => Err(fail("the round was not scored, but has a result")),
        (Some(Some(_)), None) => Err(fail("the result of the round is missing")),
        (Some(Some(result)), Some(given)) => {
            check_result(&result, given).map_err(|what| fail(&format!("the result of the round: {what}")))
        }
    }
}

/// Plays an action; if it ends the round, returns the score, if any.
fn play(
    state: &mut Match,
    given: &RecordAction,
    shuffler: &Shuffler,
) -> Result<Option<Option<RoundResult>>, Discrepancy> {
    let action: Action = given.action.parse().map_err(|_| whole("the notation of the action"))?;
    let played = state
        .play(given.seat, &action, shuffler)
        .map_err(|error| whole(format!("the action cannot be played: {error}")))?;
    let drew = match &given.drew {
        None => played.drew.is_none(),
        Some(Drew::One(card)) => played.drew == Some(*card),
        Some(Drew::Three(cards)) => !cards.is_empty() && *cards == played.drew_three.as_slice(),
    };
    ensure(drew, || whole("the card drawn"))?;
    Ok(played.round_ended.map(|end| end.result))
}

fn check_result(result: &RoundResult, given: &RecordResult) -> Result<(), &'static str> {
    let right = RecordResult::from(result);
    let parts = [
        (right.caller == given.caller, "the caller"),
        (right.hands == given.hands, "the hands"),
        (right.points == given.points, "the points"),
        (right.scores == given.scores, "the scores"),
        (right.totals == given.totals, "the totals"),
        (right.reduced == given.reduced, "whose total was reduced"),
        (right.out == given.out, "who is out"),
    ];
    match parts.into_iter().find(|(holds, _)| !holds) {
        Some((_, what)) => Err(what),
        None => Ok(()),
    }
}

fn whole(what: impl Into<String>) -> Discrepancy {
    Discrepancy { round: None, action: None, what: what.into() }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> Discrepancy) -> Result<(), Discrepancy> {
    if holds { Ok(()) } else { Err(otherwise()) }
}

impl fmt::Display for Discrepancy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.round, self.action) {
            (Some(round), Some(action)) => write!(f, "round {round}, action {action}: ")?,
            (Some(round), None) => write!(f, "round {round}: ")?,
            (None, _) => {}
        }
        f.write_str(&self.what)
    }
}

impl std::error::Error for Discrepancy {}
