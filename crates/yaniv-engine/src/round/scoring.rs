//! Scores of a round (rules §5 and §6). Consequences for totals and the match are in `ending.rs`.

#![expect(clippy::indexing_slicing, reason = "lists by seat have a place for each of the ten possible seats")]

use crate::round::phase::Answers;
use crate::round::state::{MAX_PLAYERS, RoundState};
use crate::rules::choices::WrongCallOthers;
use crate::rules::rule_set::Rules;

/// Numbers by seat; 0 for seats that are out or do not exist.
pub(crate) type BySeat = [i32; MAX_PLAYERS];

/// How a round ended by a call.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Verdict {
    /// The hands decide.
    Hands { wrong_word: bool },
    /// Wrong regardless of the other hands: over the limit.
    Wrong { wrong_word: bool },
    /// Out of turn.
    OutOfTurn,
    /// The answers decide (Kluft).
    Challenge { wrong_word: bool, answers: Answers },
}

/// The score of a round, before it is added to the totals.
pub(crate) struct Score {
    pub(crate) points: BySeat,
    pub(crate) scores: BySeat,
    /// Whether the call was right.
    pub(crate) right: bool,
    /// Seats that defeated it.
    pub(crate) defeaters: [bool; MAX_PLAYERS],
    /// The winner of a challenge, who starts the next round.
    pub(crate) challenge_winner: Option<u8>,
}

pub(crate) fn score(rules: &Rules, state: &RoundState, caller: u8, verdict: Verdict) -> Score {
    let mut points = [0; MAX_PLAYERS];
    for seat in state.active() {
        points[usize::from(seat)] = i32::from(state.points(rules, seat));
    }
    let (scores, defeaters) = ([0; MAX_PLAYERS], [false; MAX_PLAYERS]);
    let mut score = Score { points, scores, right: false, defeaters, challenge_winner: None };
    let wrong_word = match verdict {
        Verdict::Hands { wrong_word } => {
            by_hands(rules, state, caller, false, &mut score);
            wrong_word
        }
        Verdict::Wrong { wrong_word } => {
            by_hands(rules, state, caller, true, &mut score);
            wrong_word
        }
        Verdict::OutOfTurn => {
            score.scores[usize::from(caller)] = 30;
            false
        }
        Verdict::Challenge { wrong_word, answers } => {
            by_answers(rules, state, caller, answers, &mut score);
            wrong_word
        }
    };
    if wrong_word {
        score.scores[usize::from(caller)] += i32::from(rules.options().word_penalty);
    }
    score
}

fn by_hands(rules: &Rules, state: &RoundState, caller: u8, wrong_anyway: bool, score: &mut Score) {
    let options = rules.options();
    let points = score.points;
    let called = points[usize::from(caller)];
    let defeats = |seat: &u8| {
        let theirs = points[usize::from(*seat)];
        *seat != caller && (theirs < called || (options.tie_is_wrong && theirs == called))
    };
    state.active().filter(defeats).for_each(|seat| score.defeaters[usize::from(seat)] = true);
    let defeaters = score.defeaters.iter().map(|defeats| i32::from(*defeats)).sum::<i32>();
    score.scores = points;
    score.right = defeaters == 0 && !wrong_anyway;
    if score.right {
        score.scores[usize::from(caller)] = 0;
        return;
    }
    let extra = i32::from(options.extra_penalty) * (defeaters - 1).max(0);
    let others = state.active().filter(|seat| *seat != caller);
    let lowest = others.clone().map(|seat| points[usize::from(seat)]).min().unwrap_or(0);
    let first_lowest = state.after(rules, caller).find(|seat| {
        *seat != caller && state.seat(*seat).is_active() && points[usize::from(*seat)] == lowest
    });
    for seat in others {
        let theirs = points[usize::from(seat)];
        let free = match options.wrong_call_others {
            WrongCallOthers::Hand => false,
            WrongCallOthers::None => true,
            WrongCallOthers::AboveCaller => theirs <= called,
            WrongCallOthers::LowestZero => theirs == lowest,
            WrongCallOthers::FirstLowestZero => Some(seat) == first_lowest,
        };
        if free {
            score.scores[usize::from(seat)] = 0;
        }
    }
    score.scores[usize::from(caller)] = called + i32::from(options.wrong_call_penalty) + extra;
}

fn by_answers(rules: &Rules, state: &RoundState, caller: u8, answers: Answers, score: &mut Score) {
    let points = score.points;
    let challengers = answers.as_slice().iter().filter(|(_, challenges)| *challenges).map(|(seat, _)| *seat);
    let callers =
        || std::iter::once(caller).chain(challengers.clone()).filter(|seat| state.seat(*seat).is_active());
    // On a tie, the first caller wins.
    let winner = callers().min_by_key(|seat| points[usize::from(*seat)]).unwrap_or(caller);
    score.scores = points;
    for seat in callers() {
        score.scores[usize::from(seat)] += i32::from(rules.options().wrong_call_penalty);
    }
    score.scores[usize::from(winner)] = 0;
    score.right = winner == caller;
    score.defeaters[usize::from(winner)] = !score.right;
    score.challenge_winner = Some(winner);
}
