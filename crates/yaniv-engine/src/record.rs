//! The record of a match (rules §12): its JSON form, and the builder that writes it while a match is played or
//! replayed. Checking a record is in `verify.rs`.

use serde::{Deserialize, Serialize};

use crate::action::Action;
use crate::card::Card;
use crate::error::{BadRules, Code, PlayError};
use crate::event::{MatchResult, Played, RoundResult};
use crate::match_::Match;
use crate::options::RuleOptions;
use crate::rules::Rules;
use crate::seat::Seat;
use crate::shuffle::{Seed, SeedChain};
use crate::shuffler::Shuffler;

/// A match as it is exported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// [`Record::FORMAT`].
    pub format: String,
    /// As the shuffles were made with it; no line break.
    pub match_id: String,
    /// All options.
    pub rules: RuleOptions,
    /// `s[0]` of the chain of seeds.
    pub commitment: Seed,
    /// By seat.
    pub players: Vec<RecordPlayer>,
    /// From round 1 on.
    pub rounds: Vec<RecordRound>,
    /// The result; left out while the match is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MatchResult>,
}

/// Who sat where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordPlayer {
    /// The seat.
    pub seat: Seat,
    /// A name, of no meaning to the engine.
    pub name: String,
    /// What the player gave to the shuffles.
    #[serde(default)]
    pub client_seed: String,
}

/// A round, as far as the asker may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordRound {
    /// From 1 on.
    pub round: u16,
    /// The seed of the round; left out while it is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
    /// Who started.
    pub starter: Seat,
    /// By seat, in the order dealt; empty for who was out, and for others in a running round.
    pub hands: Vec<Vec<Card>>,
    /// The card turned up.
    pub upcard: Card,
    /// The dealer's dedication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gift: Option<Gift>,
    /// In the order played.
    pub actions: Vec<RecordAction>,
    /// The score; left out of a running or an unscored round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RecordResult>,
}

/// A dedication that the dealer attached to the turned-up card (rules §11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gift {
    /// The dealer.
    pub seat: Seat,
    /// 1 to 140 characters, no control characters.
    pub text: String,
}

/// One action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAction {
    /// Whose.
    pub seat: Seat,
    /// In the notation of rules §12.
    pub action: String,
    /// The card drawn from the stock by a play; left out where the asker may not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drew: Option<Drew>,
    /// When; of no meaning to the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// What an action drew from the stock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Drew {
    /// One card: a play.
    One(Card),
    /// Up to three: a call over the limit. Understood when read, never written; rules §12 has no form for it.
    Three(Vec<Card>),
}

/// The score of a round, by seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordResult {
    /// Who called.
    pub caller: Seat,
    /// The hands at the end, in canonical order.
    pub hands: Vec<Vec<Card>>,
    /// What they were worth.
    pub points: Vec<i32>,
    /// What was scored.
    pub scores: Vec<i32>,
    /// The totals after it.
    pub totals: Vec<i32>,
    /// Whose total was replaced.
    pub reduced: Vec<Seat>,
    /// Who went out.
    pub out: Vec<Seat>,
}

/// Plays a match and writes it down.
#[derive(Clone, Debug)]
pub struct RecordBuilder {
    match_id: String,
    commitment: Seed,
    players: Vec<RecordPlayer>,
    shuffler: Shuffler,
    state: Match,
    rounds: Vec<RecordRound>,
}

impl Record {
    /// The only format there is.
    pub const FORMAT: &'static str = "yaniv-record/1";
}

impl RecordBuilder {
    /// Starts a match between these players, given by seat. Their client seeds go into the shuffles.
    ///
    /// # Errors
    /// `players` when so many cannot play by these rules, or when they do not stand in the order of the seats.
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

    /// The match at this moment.
    pub fn state(&self) -> &Match {
        &self.state
    }

    /// The source of the shuffles of this match.
    pub fn shuffler(&self) -> &Shuffler {
        &self.shuffler
    }

    /// Plays an action and writes it down, with a time if there is one.
    ///
    /// # Errors
    /// As [`Match::play`]; nothing is written then.
    pub fn push(&mut self, seat: Seat, action: &Action, at: Option<String>) -> Result<Played, PlayError> {
        let played = self.state.play(seat, action, &self.shuffler)?;
        let Some(round) = self.rounds.last_mut() else {
            return Ok(played);
        };
        let drew = played.drew.map(Drew::One);
        round.actions.push(RecordAction { seat, action: action.to_string(), drew, at });
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
    /// `not_your_turn` for anyone but the dealer; `wrong_phase` when there is one, or the round has begun;
    /// `match_over`; `bad_notation` for a text that is none.
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
        let gift = Gift { seat, text: text.to_owned() };
        if !gift.is_valid() {
            return Err(PlayError::new(Code::BadNotation, "a dedication has 1 to 140 printable characters"));
        }
        round.gift = Some(gift);
        Ok(())
    }

    /// The record up to now, as this seat may have it; `None`: as the public may. Of a running round it has
    /// neither seed nor result, and of hands and drawn cards only the viewer's own.
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

    /// Writes down the deal of the round that has just begun.
    fn open_round(&mut self) {
        let table = &self.state.table;
        let dealt = table.dealt(self.state.rules(), &self.shuffler);
        self.rounds.push(RecordRound {
            round: table.round,
            seed: None,
            starter: Seat::new(table.starter),
            hands: dealt.hands,
            upcard: dealt.upcard.unwrap_or(Card::RED_JOKER),
            gift: None,
            actions: Vec::new(),
            result: None,
        });
    }
}

impl RecordRound {
    fn redact(&mut self, viewer: Option<Seat>) {
        self.seed = None;
        self.result = None;
        let hidden = |seat| Some(seat) != viewer;
        for (hand, _) in self.hands.iter_mut().zip(0..).filter(|(_, seat)| hidden(Seat::new(*seat))) {
            hand.clear();
        }
        for action in self.actions.iter_mut().filter(|action| hidden(action.seat)) {
            action.drew = None;
        }
    }
}

impl Gift {
    /// 1 to 140 characters, none of them a control character?
    pub fn is_valid(&self) -> bool {
        (1..=140).contains(&self.text.chars().count()) && !self.text.chars().any(char::is_control)
    }
}

impl From<&RoundResult> for RecordResult {
    fn from(result: &RoundResult) -> RecordResult {
        RecordResult {
            caller: result.caller,
            hands: result.hands.clone(),
            points: result.points.clone(),
            scores: result.scores.clone(),
            totals: result.totals.clone(),
            reduced: result.reduced.clone(),
            out: result.out.clone(),
        }
    }
}
