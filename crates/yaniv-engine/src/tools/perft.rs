//! `perft` of rules §12: counts action sequences from a position, within bounds. Every line of `analyze` has to finish
//! soon, so work is charged before it is done.

use crate::cards::seat::Seat;
use crate::match_::state::Match;
use crate::round::discards;
use crate::round::phase::{Phase, PhaseKind};
use crate::shuffle::shuffler::Shuffler;

/// Maximum work of one `perft`; beyond it the answer is `bad_notation`.
///
/// The unit is about 100 ns: an action played costs four, a list of legal actions one or more, by its size.
pub const PERFT_BUDGET: u32 = 10_000_000;

/// The greatest depth; beyond it the answer is `bad_notation`.
pub const PERFT_DEPTH: u32 = 64;

/// Maximum number of actions listed.
const MOST_LISTED: usize = 200_000;

/// Cost of one action played on a copy of the position.
const PLAY: u32 = 4;

/// Hand size up to which the discards are at most a few thousand, so that listing needs no count first.
const FEW_CARDS: usize = 10;

/// The number of action sequences of this length; `None` if the budget is exceeded.
pub(crate) fn perft(state: &Match, depth: u32) -> Option<u64> {
    Counter { budget: PERFT_BUDGET }.count(state, depth)
}

/// Cost of listing a seat's actions; `None` if there are too many.
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
    // The discards are found twice: once to count, once to keep; then sorted.
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
