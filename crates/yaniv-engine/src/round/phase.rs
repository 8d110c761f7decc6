//! The phases of a round (rules §6, §7 and §9) and their data.

#![expect(clippy::indexing_slicing, reason = "there are never more answers than places for them")]

use crate::cards::card::Card;
use crate::round::state::MAX_PLAYERS;
use crate::rules::choices::choices;

choices! {
    /// The phases of a round, by their names in positions (rules §12).
    PhaseKind {
        /// The player whose turn it is calls or plays.
        Turn = "turn",
        /// The call of this turn is spent: the player must play.
        MustPlay = "must_play",
        /// After a call: the others have one more turn each.
        FinalTurn = "final_turn",
        /// After a call: the others expose or challenge.
        Challenge = "challenge",
        /// After a call over the limit: the others accept or decline to exchange hands.
        Swap = "swap",
        /// The player whose turn it is answers a card request.
        Request = "request",
        /// The round, and with it perhaps the match, is over.
        Over = "over",
    }
}

/// A phase with its data.
#[derive(Copy, Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    Turn,
    MustPlay,
    FinalTurn {
        caller: u8,
        wrong_word: bool,
    },
    Challenge {
        caller: u8,
        wrong_word: bool,
        answers: Answers,
    },
    Swap {
        caller: u8,
        answers: Answers,
    },
    Request {
        asker: u8,
        card: Card,
    },
    /// The round is over and no other follows: a position, or a match without a next round.
    RoundOver,
    MatchOver {
        winner: Option<u8>,
    },
}

/// The seats that have answered, in order, and whether with the active answer (challenge).
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub(crate) struct Answers {
    len: u8,
    list: [(u8, bool); MAX_PLAYERS],
}

impl Answers {
    pub(crate) fn as_slice(&self) -> &[(u8, bool)] {
        &self.list[..usize::from(self.len)]
    }

    /// `false` if all players have answered already.
    pub(crate) fn push(&mut self, seat: u8, active: bool) -> bool {
        let free = self.list.get_mut(usize::from(self.len)).map(|place| *place = (seat, active)).is_some();
        self.len += u8::from(free);
        free
    }

    pub(crate) fn has(&self, seat: u8) -> bool {
        self.as_slice().iter().any(|(answered, _)| *answered == seat)
    }

    pub(crate) fn remove(&mut self, seat: u8) {
        let mut kept = Answers::default();
        for (answered, active) in self.as_slice().iter().filter(|(answered, _)| *answered != seat) {
            kept.push(*answered, *active);
        }
        *self = kept;
    }
}

impl Phase {
    pub(crate) fn kind(&self) -> PhaseKind {
        match self {
            Phase::Turn => PhaseKind::Turn,
            Phase::MustPlay => PhaseKind::MustPlay,
            Phase::FinalTurn { .. } => PhaseKind::FinalTurn,
            Phase::Challenge { .. } => PhaseKind::Challenge,
            Phase::Swap { .. } => PhaseKind::Swap,
            Phase::Request { .. } => PhaseKind::Request,
            Phase::RoundOver | Phase::MatchOver { .. } => PhaseKind::Over,
        }
    }
}
