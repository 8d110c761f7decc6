//! Builds the record of a match (rules §12) while it is played or replayed.

use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::error::{BadRules, Code, PlayError};
use crate::match_::state::Match;
use crate::record::document::{
    Dedication, Drew, Record, RecordAction, RecordPlayer, RecordResult, RecordRound,
};
use crate::round::action::Action;
use crate::round::event::Played;
use crate::rules::rule_set::Rules;
use crate::shuffle::seeds::{Seed, SeedChain};
use crate::shuffle::shuffler::Shuffler;

/// Plays a match and records it.
#[derive(Clone, Debug)]
pub struct RecordBuilder {
    match_id: String,
    commitment: Seed,
    players: Vec<RecordPlayer>,
    shuffler: Shuffler,
    state: Match,
    rounds: Vec<RecordRound>,
}

impl RecordBuilder {
    /// Starts a match between these players, given by seat. Their client seeds go into the shuffles.
    ///
    /// # Errors
    /// `players` if the rules do not allow this number, or if the players are not in seat order.
    pub fn new(
        rules: &Rules,
        match_id: &str,
        players: Vec<RecordPlayer>,
        chain: SeedChain,
    ) -> Result<RecordBuilder, BadRules> {
        if !players.iter().zip(0..).all(|(player, seat)| player.seat.number() == seat) {
            return Err(BadRules::new("players", "must stand in the order of the seats"));
        }
        let count = u8::try_from(players.len()).unwrap_or(u8::MAX);
        let client_seeds: Vec<String> = players.iter().map(|player| player.client_seed.clone()).collect();
        let commitment = chain.commitment();
        let shuffler = Shuffler::new(chain, match_id, &client_seeds);
        let state = Match::start(rules, count, &shuffler)?;
        let match_id = match_id.to_owned();
        let mut builder =
            RecordBuilder { match_id, commitment, players, shuffler, state, rounds: Vec::new() };
        builder.open_round();
        Ok(builder)
    }

    /// The current match.
    pub fn state(&self) -> &Match {
        &self.state
    }

    /// The source of the shuffles of this match.
    pub fn shuffler(&self) -> &Shuffler {
        &self.shuffler
    }

    /// Plays an action and records it, with a time if given.
    ///
    /// # Errors
    /// As [`Match::play`]; nothing is recorded then.
    pub fn push(&mut self, seat: Seat, action: &Action, at: Option<String>) -> Result<Played, PlayError> {
        self.push_automatic(seat, action, at, None)
    }

    /// Plays an action that the player did not make, and records its origin.
    ///
    /// # Errors
    /// As [`Match::play`]; nothing is recorded then.
    pub fn push_automatic(
        &mut self,
        seat: Seat,
        action: &Action,
        at: Option<String>,
        automatic: Option<String>,
    ) -> Result<Played, PlayError> {
        let recorded = self.state.as_recorded(seat, action);
        let played = self.state.play(seat, action, &self.shuffler)?;
        let Some(round) = self.rounds.last_mut() else {
            return Ok(played);
        };
        let drew = played.drew.map(Drew::One);
        round.actions.push(RecordAction { seat, action: recorded.to_string(), drew, at, automatic });
        if let Some(end) = &played.round_ended {
            round.seed = self.shuffler.seed(end.round);
            round.result = end.result.as_ref().map(RecordResult::from);
            if played.match_ended.is_none() {
                self.open_round();
            }
        }
        Ok(played)
    }

    /// Attaches the dealer's dedication to the turned-up card of the running round.
    ///
    /// # Errors
    /// `not_your_turn` for any seat but the dealer; `wrong_phase` if there is one already, or the round has begun;
    /// `match_over`; `bad_notation` for an invalid text.
    pub fn gift(&mut self, seat: Seat, text: &str) -> Result<(), PlayError> {
        if self.state.is_over() {
            return Err(PlayError::new(Code::MatchOver, "the match is over"));
        }
        let dealer = self.state.dealer();
        let round = self.rounds.last_mut().filter(|round| round.gift.is_none() && round.actions.is_empty());
        let Some(round) = round else {
            return Err(PlayError::new(
                Code::WrongPhase,
                "a dedication is made once, before the first action",
            ));
        };
        if seat != dealer {
            return Err(PlayError::new(Code::NotYourTurn, "the dedication is the dealer's"));
        }
        let gift = Dedication { seat, text: text.to_owned() };
        if !gift.is_valid() {
            return Err(PlayError::new(Code::BadNotation, "a dedication has 1 to 140 printable characters"));
        }
        round.gift = Some(gift);
        Ok(())
    }

    /// The record so far, as this seat may see it; `None`: as the public may. Of a running round it has neither seed
    /// nor result, and only the viewer's own hand and drawn cards.
    pub fn finish(&self, viewer: Option<Seat>) -> Record {
        let mut rounds = self.rounds.clone();
        let result = self.state.result();
        if let Some(running) = rounds.last_mut().filter(|_| result.is_none()) {
            running.redact(viewer);
        }
        Record {
            format: Record::FORMAT.to_owned(),
            match_id: self.match_id.clone(),
            rules: self.state.rules().options().clone(),
            commitment: self.commitment,
            players: self.players.clone(),
            rounds,
            result,
        }
    }

    /// Records the deal of the round that has just begun.
    fn open_round(&mut self) {
        let round_state = &self.state.round_state;
        let deal = round_state.deal_of_round(self.state.rules(), &self.shuffler);
        self.rounds.push(RecordRound {
            round: round_state.round,
            seed: None,
            starter: Seat::new(round_state.starter),
            hands: deal.hands,
            upcard: deal.upcard.unwrap_or(Card::RED_JOKER),
            gift: None,
            actions: Vec::new(),
            result: None,
        });
    }
}
