//! A match as its two players know it, and its next request.
//!
//! The players keep what the answers contained: their own hand from their last action, the table from the other's. So a
//! player reads a view only for a newly dealt hand. Matches have two players and the preset `yaniv`, where a round
//! never waits for anything but a turn.

use bytes::Bytes;
use hyper::Uri;
use hyper::header::HeaderValue;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::Error;
use crate::player::Random;

/// Maximum points to call with in the preset `yaniv`.
const CALL_LIMIT: i32 = 5;

/// A match.
#[derive(Debug)]
pub struct Game {
    plays: Uri,
    calls: Uri,
    /// Path of its view.
    pub view: Uri,
    /// The players by seat.
    pub players: [usize; 2],
    version: i32,
    table: Table,
    hands: [Known; 2],
    over: bool,
    /// Tag and version of each seat's last view.
    pub seen: [Option<(HeaderValue, i32)>; 2],
}

/// The next step of a match.
#[derive(Debug)]
pub enum Step {
    /// This seat must read a view: it does not know its cards.
    Look(usize),
    /// This seat acts.
    Act {
        /// The seat.
        seat: usize,
        /// Path of the request.
        path: Uri,
        /// The action.
        body: Bytes,
    },
    /// It is over.
    Over,
}

#[derive(Debug, Default)]
struct Known {
    /// The round of these cards; 0 if nothing is known.
    round: i32,
    cards: Vec<Card>,
    points: i32,
}

/// The part of an answer that the next step depends on.
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

    /// Whether the other can be discarded with it; jokers are discarded alone.
    fn pairs(self, other: Self) -> bool {
        let (Self([rank, _]), Self([other, _])) = (self, other);
        rank == other && rank != b'X'
    }
}

impl Game {
    /// A match of which only the players are known.
    ///
    /// # Errors
    /// If its identifier is not valid in a path.
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

    /// The path of the stream of future events.
    ///
    /// # Errors
    /// Never: the path is valid.
    pub fn stream(&self) -> Result<Uri, Error> {
        Ok(Uri::try_from(format!("{}/events/stream?after={}", self.view.path(), self.version))?)
    }

    /// The path of the view with the events since a version.
    ///
    /// # Errors
    /// Never: it is a path with a number.
    pub fn view_since(&self, version: i32) -> Result<Uri, Error> {
        Ok(Uri::try_from(format!("{}?since={version}", self.view.path()))?)
    }

    /// The known version.
    #[must_use]
    pub fn version(&self) -> i32 {
        self.version
    }

    /// The seat that has to act.
    #[must_use]
    pub fn to_act(&self) -> usize {
        self.table.to_act.first().copied().unwrap_or_default()
    }

    /// Updates from a seat's view.
    ///
    /// # Errors
    /// If it is not a possible state of these matches.
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

    /// Forgets what the players know: both must read a view again.
    pub fn forget(&mut self) {
        self.hands = <[Known; 2]>::default();
        self.seen = [None, None];
    }

    /// The next step.
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

    /// Usually discards the heaviest cards of one rank, and usually draws from the stock.
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
