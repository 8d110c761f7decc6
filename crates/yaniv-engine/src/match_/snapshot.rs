//! The compact stored form of a match: a version byte, then the fields in the order of the writer below. Reading
//! validates everything: stored data are not trusted. The JSON form is in `position.rs`.

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::error::BadSnapshot;
use crate::match_::check::{check_amount, check_match, require};
use crate::match_::state::Match;
use crate::round::phase::{Answers, Phase};
use crate::round::state::{Departure, Pile, Place, RoundState};
use crate::rules::rule_set::Rules;

/// The version written.
const VERSION: u8 = 2;
/// The previous version, without the number of actions. It is read, and written while that number is unknown.
const UNCOUNTED: u8 = 1;

impl Match {
    /// The match as bytes, without its rules: about 80 for two players. A match made from a position is written, too,
    /// but can be read again only if it has exactly the cards of its packs.
    pub fn to_bytes(&self) -> Vec<u8> {
        let state = &self.round_state;
        let mut out = Writer(Vec::with_capacity(128));
        out.byte(if state.actions.is_some() { VERSION } else { UNCOUNTED });
        out.byte(state.players);
        out.byte(
            u8::from(state.asked) | u8::from(state.sudden_death) << 1 | u8::from(state.slam.is_some()) << 2,
        );
        out.number(u32::from(state.round));
        out.byte(state.starter);
        out.byte(state.turn);
        out.number(u32::from(state.recycles));
        if let Some(actions) = state.actions {
            out.number(u32::from(actions));
        }
        if let Some((seat, card)) = state.slam {
            out.byte(seat);
            out.byte(card.index());
        }
        out.phase(&state.phase);
        for (_, place) in state.places() {
            out.place(place);
        }
        out.cards(state.pile.cards.len(), state.pile.cards.iter().copied());
        out.bits(state.pile.pickable);
        out.cards(state.buried.len(), state.buried.iter());
        out.cards(state.stock.len(), state.stock.iter().copied());
        out.0
    }

    /// Reads the form that [`to_bytes`](Match::to_bytes) writes.
    ///
    /// The rules must be those of the match. Bytes of the
    /// version that did not count actions are accepted: see [`set_actions`](Match::set_actions).
    ///
    /// # Errors
    /// Invalid bytes, or a state that no match by these rules can be in.
    pub fn from_bytes(rules: &Rules, bytes: &[u8]) -> Result<Match, BadSnapshot> {
        let mut reader = Reader(bytes);
        let version = reader.byte()?;
        require([UNCOUNTED, VERSION].contains(&version), "the format of the snapshot is unknown")?;
        let players = reader.byte()?;
        require((2..=10).contains(&players), "a match has 2 to 10 seats")?;
        let mut state = RoundState::empty(players);
        let flags = reader.byte()?;
        require(flags < 8, "a flag is unknown")?;
        state.asked = flags & 1 != 0;
        state.sudden_death = flags & 2 != 0;
        state.round = reader.short()?;
        state.starter = reader.byte()?;
        state.turn = reader.byte()?;
        state.recycles = reader.short()?;
        state.actions = if version == UNCOUNTED { None } else { Some(reader.short()?) };
        if flags & 4 != 0 {
            state.slam = Some((reader.byte()?, reader.card()?));
        }
        state.phase = reader.phase()?;
        for seat in 0..players {
            *state.seat_mut(seat) = reader.place()?;
        }
        state.pile = reader.pile()?;
        state.buried = Bag::of(&reader.cards()?);
        let stock = reader.cards()?;
        require(state.stock.set(&stock), "the stock is too large")?;
        require(reader.0.is_empty(), "there are bytes left over")?;
        check_match(rules, &state)?;
        Ok(Match { rules: rules.clone(), round_state: state, single_round: false })
    }
}

/// Writes numbers in seven bits per byte, low bits first.
struct Writer(Vec<u8>);

impl Writer {
    fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn number(&mut self, mut number: u32) {
        while number >= 0x80 {
            let [low, ..] = number.to_le_bytes();
            self.byte(low | 0x80);
            number >>= 7;
        }
        let [low, ..] = number.to_le_bytes();
        self.byte(low);
    }

    fn bits(&mut self, bits: u64) {
        let [low, high] = [bits & 0xffff_ffff, bits >> 32].map(|half| u32::try_from(half).unwrap_or(0));
        self.number(low);
        self.number(high);
    }

    fn cards(&mut self, len: usize, cards: impl Iterator<Item = Card>) {
        self.number(u32::try_from(len).unwrap_or(0));
        self.0.extend(cards.map(Card::index));
    }

    fn phase(&mut self, phase: &Phase) {
        match phase {
            Phase::Turn => self.byte(0),
            Phase::MustPlay => self.byte(1),
            Phase::FinalTurn { caller, wrong_word } => self.0.extend([2, *caller, u8::from(*wrong_word)]),
            Phase::Challenge { caller, wrong_word, answers } => {
                self.0.extend([3, *caller, u8::from(*wrong_word)]);
                self.answers(*answers);
            }
            Phase::Swap { caller, answers } => {
                self.0.extend([4, *caller]);
                self.answers(*answers);
            }
            Phase::Request { asker, card } => self.0.extend([5, *asker, card.index()]),
            Phase::RoundOver => self.byte(6),
            Phase::MatchOver { winner } => self.0.extend([7, winner.unwrap_or(u8::MAX)]),
        }
    }

    fn answers(&mut self, answers: Answers) {
        let list = answers.as_slice();
        self.number(u32::try_from(list.len()).unwrap_or(0));
        self.0.extend(list.iter().map(|(seat, active)| seat << 1 | u8::from(*active)));
    }

    fn place(&mut self, place: &Place) {
        // Zigzag: small totals of either sign are short.
        self.number(((place.total << 1) ^ (place.total >> 31)).cast_unsigned());
        self.number(place.departure.map_or(0, |departure| u32::from(departure.round) + 1));
        if let Some(departure) = place.departure {
            self.byte(departure.order);
        }
        self.number(u32::from(place.successes));
        self.number(u32::from(place.turns));
        self.cards(place.hand.len(), place.hand.iter());
    }
}

/// Reads from the front; a missing byte is an error.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn byte(&mut self) -> Result<u8, BadSnapshot> {
        let (first, rest) = self.0.split_first().ok_or(BadSnapshot::new("the snapshot ends too early"))?;
        self.0 = rest;
        Ok(*first)
    }

    fn flag(&mut self) -> Result<bool, BadSnapshot> {
        let byte = self.byte()?;
        require(byte <= 1, "a flag is neither 0 nor 1")?;
        Ok(byte == 1)
    }

    fn number(&mut self) -> Result<u32, BadSnapshot> {
        let mut number = 0_u64;
        for shift in [0, 7, 14, 21, 28] {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return u32::try_from(number).map_err(|_| BadSnapshot::new("a number is too large"));
            }
        }
        Err(BadSnapshot::new("a number is too long"))
    }

    fn short(&mut self) -> Result<u16, BadSnapshot> {
        u16::try_from(self.number()?).map_err(|_| BadSnapshot::new("a number is too large"))
    }

    fn card(&mut self) -> Result<Card, BadSnapshot> {
        Card::from_index(self.byte()?).ok_or(BadSnapshot::new("there is no such card"))
    }

    fn cards(&mut self) -> Result<Vec<Card>, BadSnapshot> {
        let len = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        check_amount(len)?;
        (0..len).map(|_| self.card()).collect()
    }

    fn pile(&mut self) -> Result<Pile, BadSnapshot> {
        let mut pile = Pile::EMPTY;
        require(pile.cards.set(&self.cards()?), "the pile is too large")?;
        pile.pickable = u64::from(self.number()?) | u64::from(self.number()?) << 32;
        let beyond = pile.pickable.checked_shr(u32::try_from(pile.cards.len()).unwrap_or(64)).unwrap_or(0);
        require(beyond == 0, "more can be picked up than the pile has")?;
        Ok(pile)
    }

    fn phase(&mut self) -> Result<Phase, BadSnapshot> {
        Ok(match self.byte()? {
            0 => Phase::Turn,
            1 => Phase::MustPlay,
            2 => Phase::FinalTurn { caller: self.byte()?, wrong_word: self.flag()? },
            3 => {
                Phase::Challenge { caller: self.byte()?, wrong_word: self.flag()?, answers: self.answers()? }
            }
            4 => Phase::Swap { caller: self.byte()?, answers: self.answers()? },
            5 => Phase::Request { asker: self.byte()?, card: self.card()? },
            7 => Phase::MatchOver { winner: Some(self.byte()?).filter(|seat| *seat != u8::MAX) },
            _ => return Err(BadSnapshot::new("there is no such phase in a stored match")),
        })
    }

    fn answers(&mut self) -> Result<Answers, BadSnapshot> {
        let mut answers = Answers::default();
        for _ in 0..self.number()? {
            let byte = self.byte()?;
            require(answers.push(byte >> 1, byte & 1 == 1), "there are more answers than players")?;
        }
        Ok(answers)
    }

    fn place(&mut self) -> Result<Place, BadSnapshot> {
        let zigzag = self.number()?;
        let total = (zigzag >> 1).cast_signed() ^ -(zigzag & 1).cast_signed();
        let departure = match self.number()? {
            0 => None,
            round => {
                let round =
                    u16::try_from(round - 1).map_err(|_| BadSnapshot::new("a number is too large"))?;
                Some(Departure { round, order: self.byte()? })
            }
        };
        let (successes, turns) = (self.short()?, self.short()?);
        Ok(Place { hand: Bag::of(&self.cards()?), total, departure, successes, turns })
    }
}
