//! [`Rules`]: a validated rule set with precomputed values. The plain options are in `options.rs`, their bounds in
//! `bounds.rs`, their JSON form in `json.rs`.

#![expect(clippy::indexing_slicing, reason = "a card's index is below 54, the size of the table")]

use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::cards::card::Card;
use crate::error::BadRules;
use crate::rules::bounds;
use crate::rules::choices::Direction;
use crate::rules::options::RuleOptions;

/// A rule set within the bounds of rules §3. Cheap to clone; equal when the options are.
#[derive(Clone, Debug)]
pub struct Rules(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    options: RuleOptions,
    /// Points of each card, by its index.
    points: [u8; 54],
}

impl Rules {
    /// Numbers of players.
    pub const PLAYERS: RangeInclusive<u8> = 2..=10;
    /// Most players with two suits.
    pub const HALF_PACK_PLAYERS: u8 = 4;
    /// Cards that the packs must have for each player beyond the hand, and on the table.
    pub const SPARE_CARDS: (u8, u8) = (1, 1);

    /// Checks the bounds of rules §3.
    ///
    /// # Errors
    /// The first option that breaks a bound, by name.
    pub fn new(options: RuleOptions) -> Result<Rules, BadRules> {
        bounds::check(&options)?;
        let mut points = [0; 54];
        for card in Card::all() {
            points[usize::from(card.index())] = card_points(&options, card);
        }
        Ok(Rules(Arc::new(Inner { options, points })))
    }

    /// The options as they were given.
    pub fn options(&self) -> &RuleOptions {
        &self.0.options
    }

    /// Checks the number of players.
    ///
    /// # Errors
    /// `players` if it is not 2 to [`max_players`](Rules::max_players).
    pub fn check_players(&self, players: u8) -> Result<(), BadRules> {
        if Self::PLAYERS.contains(&players) && self.fits(players) {
            return Ok(());
        }
        Err(BadRules::new("players", format!("must be 2 to {} with these rules", self.max_players())))
    }

    /// The largest number of players, 2 to 10.
    pub fn max_players(&self) -> u8 {
        Self::PLAYERS.rev().find(|players| self.fits(*players)).unwrap_or(2)
    }

    /// Number of packs for this number of players at the start.
    pub fn packs(&self, players: u8) -> u8 {
        let options = self.options();
        match options.second_deck_at {
            Some(from) if players >= from => options.decks.max(2),
            _ => options.decks,
        }
    }

    /// Whether one pack contains the card.
    pub(crate) fn in_pack(&self, card: Card) -> bool {
        let options = self.options();
        match card {
            Card::RED_JOKER => options.jokers >= 1,
            Card::BLACK_JOKER => options.jokers >= 2,
            _ => options.suits == 4 || card.suit_index() >= 2,
        }
    }

    /// All cards of a match with this number of players, in canonical order.
    pub(crate) fn pack(&self, players: u8) -> Vec<Card> {
        let packs = usize::from(self.packs(players));
        Card::all()
            .filter(|card| self.in_pack(*card))
            .flat_map(|card| std::iter::repeat_n(card, packs))
            .collect()
    }

    /// Points of a card, 0 to 20.
    pub fn card_points(&self, card: Card) -> u8 {
        self.0.points[usize::from(card.index())]
    }

    /// Points of these cards together.
    pub fn points(&self, cards: &[Card]) -> u16 {
        cards.iter().map(|card| u16::from(self.card_points(*card))).sum()
    }

    /// The next seat of `players` in the direction of play.
    pub(crate) fn step(&self, seat: u8, players: u8) -> u8 {
        match self.options().direction {
            Direction::Clockwise => {
                if seat + 1 >= players {
                    0
                } else {
                    seat + 1
                }
            }
            Direction::Counterclockwise => seat.checked_sub(1).unwrap_or(players - 1),
        }
    }

    /// The highest place in a run: the king, or the ace above it.
    pub(crate) fn top_place(&self) -> u8 {
        if self.options().ace_high { 14 } else { 13 }
    }

    fn fits(&self, players: u8) -> bool {
        let options = self.options();
        let (of_player, on_table) = Self::SPARE_CARDS;
        let cards = usize::from(players) * usize::from(options.hand_size + of_player) + usize::from(on_table);
        (options.suits == 4 || players <= Self::HALF_PACK_PLAYERS) && self.pack(players).len() >= cards
    }
}

impl PartialEq for Rules {
    fn eq(&self, other: &Rules) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.options == other.0.options
    }
}

impl Eq for Rules {}

impl Default for Rules {
    fn default() -> Rules {
        let options = RuleOptions::default();
        let mut points = [0; 54];
        for card in Card::all() {
            points[usize::from(card.index())] = card_points(&options, card);
        }
        Rules(Arc::new(Inner { options, points }))
    }
}

fn card_points(options: &RuleOptions, card: Card) -> u8 {
    let points = options.points;
    match (card.rank(), options.one_eyed_jacks) {
        (None, _) => points.joker,
        (Some(1), _) => points.ace,
        (Some(11), Some(one_eyed)) if card.suit_index() >= 2 => one_eyed,
        (Some(11), _) => points.jack,
        (Some(12), _) => points.queen,
        (Some(13), _) => points.king,
        (Some(number), _) => number,
    }
}
