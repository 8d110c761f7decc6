//! `perft` of rules §12: counting the action sequences from a position, within bounds. Any line of `analyze`
//! has to end soon, so that what is done is charged before it is done, in proportion to its work.

use crate::cards::seat::Seat;
use crate::match_::state::Match;
use crate::round::discards;
use crate::round::phase::{Phase, PhaseKind};
use crate::shuffle::shuffler::Shuffler;

/// How much work one `perft` does at most; beyond this it is answered with `bad_notation`.
///
/// The unit is some 100 ns: an action played is four of them, a list of legal actions one and more, by its size.
pub const PERFT_BUDGET: u32 = 10_000_000;

/// The longest action sequences that `perft` counts; a greater depth is answered with `bad_notation`.
pub const PERFT_DEPTH: u32 = 64;

/// How many actions are listed at most.
const MOST_LISTED: usize = 200_000;

/// The units of one action played on a copy of the position.
const PLAY: u32 = 4;

/// A hand of so many cards has a few thousand discards at most, and a list of them needs no count before it.
const FEW_CARDS: usize = 10;

/// The number of action sequences of this length; `None` when the budget does not last.
pub(crate) fn perft(state: &Match, depth: u32) -> Option<u64> {
    Counter { budget: PERFT_BUDGET }.count(state, depth)
}

/// The units of a list of this seat's actions; `None` when there are too many of them to work with.
pub(crate) fn price_of_list(state: &Match, seat: Seat) -> Option<u32> {
    let plays = matches!(state.phase(), PhaseKind::Turn | PhaseKind::MustPlay | PhaseKind::FinalTurn);
    let hand = &state.round_state.seat(seat.number()).hand;
    if !plays || hand.len() <= FEW_CARDS {
        return Some(1);
    }
    let (found, work) = discards::effort(state.rules(), hand, MOST_LISTED)?;
    if found.saturating_mul(state.round_state.draws().len()) > MOST_LISTED {
        return None;
    }
    // Found twice: once to count, once to keep; and then sorted.
    u32::try_from(1 + work / 16 + found * 3).ok()
}

struct Counter {
    budget: u32,
}

impl Counter {
    fn count(&mut self, state: &Match, depth: u32) -> Option<u64> {
        if depth == 0 || matches!(state.round_state.phase, Phase::RoundOver | Phase::MatchOver { .. }) {
            return Some(1);
        }
        let mut count = 0_u64;
        for seat in state.to_act() {
            self.charge(price_of_list(state, seat)?)?;
            if depth == 1 {
                let listed = state.count_actions(seat);
                self.charge(u32::try_from(listed / 4).ok()?)?;
                count = count.checked_add(listed)?;
                continue;
            }
            for action in state.legal_actions(seat) {
                self.charge(PLAY)?;
                let mut next = state.clone();
                next.play(seat, &action, &Shuffler::unseeded()).ok()?;
                count = count.checked_add(self.count(&next, depth - 1)?)?;
            }
        }
        Some(count)
    }

    fn charge(&mut self, units: u32) -> Option<()> {
        self.budget = self.budget.checked_sub(units)?;
        Some(())
    }
}
