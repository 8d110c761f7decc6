//! [`Match`]: a match of Yaniv that cannot be in an illegal state. Views are in `view.rs` and `legal.rs`, the stored
//! form in `snapshot.rs`. It knows neither players nor time.

use crate::cards::seat::Seat;
use crate::error::{BadRules, PlayError};
use crate::round::action::Action;
use crate::round::ending::Next;
use crate::round::event::{MatchResult, Played};
use crate::round::phase::PhaseKind;
use crate::round::play::Context;
use crate::round::state::{MAX_ACTIONS, RoundState};
use crate::rules::rule_set::Rules;
use crate::shuffle::shuffler::Shuffler;

/// A match: the round in progress and the totals of the previous rounds, or the result.
///
/// The action that ends a round also deals the next. A match made from a position (rules §12) is one round only and
/// stays over at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    pub(crate) rules: Rules,
    pub(crate) round_state: RoundState,
    /// No next round is dealt.
    pub(crate) single_round: bool,
}

impl Match {
    /// Deals the first round.
    ///
    /// # Errors
    /// `players` if the rules do not allow this number.
    pub fn start(rules: &Rules, players: u8, shuffler: &Shuffler) -> Result<Match, BadRules> {
        let state = RoundState::first_round(rules, players, shuffler)?;
        Ok(Match { rules: rules.clone(), round_state: state, single_round: false })
    }

    /// Plays an action of a seat. The shuffler must be the one the match was started with.
    ///
    /// # Errors
    /// The reason for the refusal (the order of the checks is that of rules §12); the match is unchanged.
    pub fn play(&mut self, seat: Seat, action: &Action, shuffler: &Shuffler) -> Result<Played, PlayError> {
        let context = Context { rules: &self.rules, shuffler, seat: seat.number() };
        let (played, next) = self.round_state.play(&context, action)?;
        if let Some(Next::Round { starter, sudden_death }) = next
            && !self.single_round
        {
            self.round_state.next_round(&self.rules, starter, sudden_death, shuffler);
        }
        Ok(played)
    }

    /// The rule set.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Number of players at the start, 2 to 10.
    pub fn players(&self) -> u8 {
        self.round_state.players
    }

    /// The number of the round, 1 to 1000.
    pub fn round(&self) -> u16 {
        self.round_state.round
    }

    /// Number of actions played, at most [`MAX_ACTIONS`]; `None` if it was read from bytes of a version that did not
    /// count them.
    pub fn actions(&self) -> Option<u16> {
        self.round_state.actions
    }

    /// Sets the number of actions played in a match read from bytes of a version that did not count them. Until then
    /// their number is not bounded. A match at or above the limit ends with its next action.
    pub fn set_actions(&mut self, actions: u64) {
        let most = if self.is_over() { MAX_ACTIONS } else { MAX_ACTIONS - 1 };
        self.round_state.actions = Some(u16::try_from(actions).map_or(most, |actions| actions.min(most)));
    }

    /// The recorded form of an action (rules §12): `slam:first` where the card fits in one way only is `slam`.
    pub fn as_recorded(&self, seat: Seat, action: &Action) -> Action {
        match action {
            Action::Slam { first } => {
                let either_end = self.legal_slam(seat).is_some_and(|slam| slam.either_end);
                Action::Slam { first: *first && either_end }
            }
            other => other.clone(),
        }
    }

    /// The seat that was dealt to first and played first in this round.
    pub fn starter(&self) -> Seat {
        Seat::new(self.round_state.starter)
    }

    /// The phase of the round.
    pub fn phase(&self) -> PhaseKind {
        self.round_state.phase.kind()
    }

    /// The seats that have to act, in order. Slam-downs, requests and resignations are optional and not included.
    pub fn to_act(&self) -> Vec<Seat> {
        self.round_state.to_act().map(Seat::new).collect()
    }

    /// The first of [`to_act`](Match::to_act), without allocating a list.
    pub fn next_to_act(&self) -> Option<Seat> {
        self.round_state.to_act().next().map(Seat::new)
    }

    /// Whether the match is over.
    pub fn is_over(&self) -> bool {
        self.result().is_some()
    }

    /// The result, when the match is over.
    pub fn result(&self) -> Option<MatchResult> {
        self.round_state.match_result()
    }

    /// The total of a seat; 0 if the seat does not exist.
    pub fn total(&self, seat: Seat) -> i32 {
        self.round_state.places().nth(seat.index()).map_or(0, |(_, place)| place.total)
    }

    /// Whether the seat is out or does not exist.
    pub fn is_out(&self, seat: Seat) -> bool {
        self.round_state.places().nth(seat.index()).is_none_or(|(_, place)| !place.is_active())
    }
}
