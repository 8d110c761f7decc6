//! A match as its two players know it, and the next thing to ask for in it.
//!
//! The players keep what they were told: their own hand from the answer to their last action, the table from the
//! answer to the other's. So nobody has to look before acting, but for a hand that was dealt since. Matches are those
//! of the preset `yaniv`, with two players, where a round waits for a turn and nothing else.

use bytes::Bytes;
use hyper::Uri;
use hyper::header::HeaderValue;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::Error;
use crate::player::Random;

/// Most points to call with in the preset `yaniv`.
const CALL_LIMIT: i32 = 5;

/// A match.
#[derive(Debug)]
pub struct Game {
    plays: Uri,
    calls: Uri,
    /// Where its view is.
    pub view: Uri,
    /// Who sits where.
    pub players: [usize; 2],
    version: i32,
    table: Table,
    hands: [Known; 2],
    over: bool,
    /// Tags of what each seat saw last, and the versions.
    pub seen: [Option<(HeaderValue, i32)>; 2],
}

/// What is next in a match.
#[derive(Debug)]
pub enum Step {
    /// This seat has to look: it does not know its cards.
    Look(usize),
    /// This seat acts.
    Act {
        /// Who.
        seat: usize,
        /// Where to.
        path: Uri,
        /// The action.
        body: Bytes,
    },
    /// It is over.
    Over,
}

#[derive(Debug, Default)]
struct Known {
    /// The round that these cards are of; 0 if nothing is known.
    round: i32,
    cards: Vec<Card>,
    points: i32,
}

/// As much of an answer as it takes to go on.
#[derive(Deserialize)]
struct Answer {
    status: Status,
    version: i32,
    your_seat: usize,
    table: Table,
    hand: Option<Hand>,
}

#[derive(Debug, Deserialize)]
struct Table {
    round: i32,
    phase: Phase,
    to_act: Vec<usize>,
    pickable: Vec<Card>,
    stock_count: i32,
}

#[derive(Deserialize)]
struct Hand {
    cards: Vec<Card>,
    points: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Card([u8; 2]);

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Status {
    Running,
    Finished,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Phase {
    Turn,
    Over,
}

impl<'de> Deserialize<'de> for Card {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code: &str = Deserialize::deserialize(deserializer)?;
        code.as_bytes().try_into().map(Self).map_err(|_| D::Error::custom("no card has this code"))
    }
}

impl Card {
    fn points(self) -> i32 {
        match self.0 {
            [b'X', _] => 0,
            [b'A', _] => 1,
            [digit @ b'2'..=b'9', _] => i32::from(digit - b'0'),
            _ => 10,
        }
    }

    /// Whether the other may be thrown with it; jokers are thrown alone.
    fn pairs(self, other: Self) -> bool {
        let (Self([rank, _]), Self([other, _])) = (self, other);
        rank == other && rank != b'X'
    }
}

impl Game {
    /// A match of which nothing is known but who plays.
    ///
    /// # Errors
    /// If its identifier makes no path.
    pub fn new(id: &str, players: [usize; 2]) -> Result<Self, Error> {
        let table =
            Table { round: 0, phase: Phase::Over, to_act: Vec::new(), pickable: Vec::new(), stock_count: 0 };
        Ok(Self {
            plays: Uri::try_from(format!("/v1/matches/{id}/plays"))?,
            calls: Uri::try_from(format!("/v1/matches/{id}/calls"))?,
            view: Uri::try_from(format!("/v1/matches/{id}"))?,
            players,
            version: 0,
            table,
            hands: <[Known; 2]>::default(),
            over: false,
            seen: [None, None],
        })
    }

    /// The path of the view with what happened since a version.
    ///
    /// # Errors
    /// Never: it is a path with a number.
    pub fn view_since(&self, version: i32) -> Result<Uri, Error> {
        Ok(Uri::try_from(format!("{}?since={version}", self.view.path()))?)
    }

    /// The version that is known.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The seat that has to act.
    #[must_use]
    pub fn to_act(&self) -> usize {
        self.table.to_act.first().copied().unwrap_or_default()
    }

    /// Takes in the match as a seat was shown it.
    ///
    /// # Errors
    /// If it is not what these matches can be.
    pub fn learn(&mut self, seat: usize, body: &[u8]) -> Result<(), Error> {
        let answer: Answer = serde_json::from_slice(body)?;
        if answer.your_seat != seat {
            return Err(format!("seat {seat} was told that it is seat {}", answer.your_seat).into());
        }
        self.version = answer.version;
        self.over = answer.status == Status::Finished;
        self.table = answer.table;
        if let (Some(hand), Some(known)) = (answer.hand, self.hands.get_mut(seat)) {
            *known = Known { round: self.table.round, cards: hand.cards, points: hand.points };
        }
        if !self.over && self.table.phase != Phase::Turn {
            return Err("a match that runs is in phase over".into());
        }
        Ok(())
    }

    /// Forgets what the players know: both have to look again.
    pub fn forget(&mut self) {
        self.hands = <[Known; 2]>::default();
        self.seen = [None, None];
    }

    /// What is next.
    pub fn step(&self, random: &mut Random) -> Step {
        if self.over {
            return Step::Over;
        }
        let seat = self.to_act();
        let Some(hand) = self.hands.get(seat).filter(|hand| hand.round == self.table.round) else {
            return Step::Look(seat);
        };
        if hand.points <= CALL_LIMIT {
            let body = format!("{{\"expected_version\":{}}}", self.version);
            return Step::Act { seat, path: self.calls.clone(), body: body.into() };
        }
        Step::Act { seat, path: self.plays.clone(), body: self.play(hand, random) }
    }

    /// Throws the cards of one rank that weigh most, mostly; draws from the stock, mostly.
    fn play(&self, hand: &Known, random: &mut Random) -> Bytes {
        let weight = |card: Card| -> i32 {
            hand.cards.iter().filter(|other| card == **other || card.pairs(**other)).map(|c| c.points()).sum()
        };
        let heaviest = hand.cards.iter().copied().max_by_key(|card| weight(*card));
        let thrown = if random.below(10) < 8 { heaviest } else { random.pick(&hand.cards).copied() };
        let mut body = Vec::with_capacity(96);
        body.extend_from_slice(b"{\"expected_version\":");
        body.extend_from_slice(self.version.to_string().as_bytes());
        body.extend_from_slice(b",\"cards\":[");
        let mut first = true;
        for card in hand
            .cards
            .iter()
            .filter(|card| thrown.is_some_and(|thrown| thrown == **card || thrown.pairs(**card)))
        {
            body.extend_from_slice(if first { b"\"" } else { b",\"" });
            body.extend_from_slice(&card.0);
            body.push(b'"');
            first = false;
        }
        let from_pile = self.table.stock_count == 0 || random.below(4) == 0;
        match random.pick(&self.table.pickable).filter(|_| from_pile) {
            Some(card) => {
                body.extend_from_slice(b"],\"draw_from\":\"pile\",\"draw_card\":\"");
                body.extend_from_slice(&card.0);
                body.extend_from_slice(b"\"}");
            }
            None if self.table.stock_count > 0 => body.extend_from_slice(b"],\"draw_from\":\"stock\"}"),
            None => body.extend_from_slice(b"],\"draw_from\":\"nothing\"}"),
        }
        body.into()
    }
}
