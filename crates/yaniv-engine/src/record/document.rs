//! The record of a match (rules §12) and its JSON form. Records are written by `builder.rs` and checked by `verify.rs`.

use serde::{Deserialize, Serialize};

use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::round::event::{MatchResult, RoundResult};
use crate::rules::options::RuleOptions;
use crate::shuffle::seeds::Seed;

/// The export of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// [`Record::FORMAT`].
    pub format: String,
    /// The match id used for the shuffles; no line break.
    pub match_id: String,
    /// All options.
    pub rules: RuleOptions,
    /// `s[0]` of the chain of seeds.
    pub commitment: Seed,
    /// By seat.
    pub players: Vec<RecordPlayer>,
    /// From round 1 on.
    pub rounds: Vec<RecordRound>,
    /// The result; omitted while the match is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MatchResult>,
}

/// A player and their seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordPlayer {
    /// The seat.
    pub seat: Seat,
    /// A name; the engine does not use it.
    pub name: String,
    /// The player's client seed.
    #[serde(default)]
    pub client_seed: String,
}

/// A round, as far as the reader may know it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordRound {
    /// From 1 on.
    pub round: u16,
    /// The seed of the round; omitted while it is running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<Seed>,
    /// The starter.
    pub starter: Seat,
    /// By seat, in the order dealt; empty for seats that were out, and for others in a running round.
    pub hands: Vec<Vec<Card>>,
    /// The card turned up.
    pub upcard: Card,
    /// The dealer's dedication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gift: Option<Dedication>,
    /// In the order played.
    pub actions: Vec<RecordAction>,
    /// The score; omitted from a running or unscored round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<RecordResult>,
}

/// A dedication that the dealer attached to the turned-up card (rules §11).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dedication {
    /// The dealer.
    pub seat: Seat,
    /// 1 to 140 characters, no control characters.
    pub text: String,
}

/// One action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAction {
    /// The seat.
    pub seat: Seat,
    /// In the notation of rules §12.
    pub action: String,
    /// The card drawn from the stock by a play; omitted if the reader may not know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drew: Option<Drew>,
    /// The time; the engine does not use it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Origin of an action that the player did not make (rules §13): ignored by the engine, omitted for the player's
    /// own actions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub automatic: Option<String>,
}

/// Cards that an action drew from the stock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Drew {
    /// One card: a play.
    One(Card),
    /// Up to three: a call over the limit. Accepted when read, never written; rules §12 has no form for it.
    Three(Vec<Card>),
}

/// The score of a round, by seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordResult {
    /// The caller.
    pub caller: Seat,
    /// The hands at the end, in canonical order.
    pub hands: Vec<Vec<Card>>,
    /// Their points.
    pub points: Vec<i32>,
    /// The scores.
    pub scores: Vec<i32>,
    /// The totals after it.
    pub totals: Vec<i32>,
    /// Seats whose total was replaced.
    pub reduced: Vec<Seat>,
    /// Seats that went out.
    pub out: Vec<Seat>,
}

impl Record {
    /// The only format.
    pub const FORMAT: &'static str = "yaniv-record/1";
}

impl RecordRound {
    /// Removes from a running round the data that this seat may not know.
    pub(crate) fn redact(&mut self, viewer: Option<Seat>) {
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

impl Dedication {
    /// Whether the text has 1 to 140 characters and no control characters.
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
