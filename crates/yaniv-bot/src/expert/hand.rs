//! A hand as counts of its ranks and suits, and its heaviest discards. A quick form of the engine's rules, for inputs
//! only: what is legal, the engine says.

#![expect(clippy::indexing_slicing, reason = "ranks are below 13, suits below 4")]

use yaniv_engine::{Card, Rules};

/// A hand of natural cards and jokers.
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Hand {
    /// Number of cards of each rank.
    pub(crate) ranks: [u8; 13],
    /// By suit: a bit for each rank.
    pub(crate) suits: [u16; 4],
    pub(crate) jokers: u8,
    pub(crate) cards: u8,
    pub(crate) points: u16,
}

/// What the quick form needs of the rules.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Values {
    ranks: [u16; 13],
    joker: u16,
    jokers_in_runs: bool,
    joker_pair: bool,
    min_naturals: u8,
}

/// A discard.
#[derive(Copy, Clone, Debug)]
enum Thrown {
    /// All cards of a rank.
    Rank(usize),
    Jokers(u8),
    /// Naturals of a suit within these bits, and jokers.
    Run {
        suit: usize,
        places: u16,
        jokers: u8,
    },
}

impl Values {
    pub(crate) fn of(rules: &Rules) -> Values {
        let options = rules.options();
        let mut ranks = [0; 13];
        for card in Card::all() {
            if let Some(rank) = card.rank() {
                ranks[usize::from(rank - 1)] = u16::from(rules.card_points(card));
            }
        }
        Values {
            ranks,
            joker: u16::from(rules.card_points(Card::RED_JOKER)),
            jokers_in_runs: options.jokers_in_runs,
            joker_pair: options.joker_pair,
            min_naturals: options.min_naturals,
        }
    }
}

/// The place of a natural card: rank 0 to 12 and suit 0 to 3.
pub(crate) fn place(card: Card) -> Option<(usize, usize)> {
    let rank = card.rank()?;
    Some((usize::from(rank - 1), usize::from(card.index() % 4)))
}

impl Hand {
    pub(crate) fn of(rules: &Rules, cards: &[Card]) -> Hand {
        let mut hand = Hand::default();
        for card in cards {
            hand.add(rules, *card);
        }
        hand
    }

    pub(crate) fn add(&mut self, rules: &Rules, card: Card) {
        match place(card) {
            Some((rank, suit)) => {
                self.ranks[rank] += 1;
                self.suits[suit] |= 1 << rank;
            }
            None => self.jokers += 1,
        }
        self.cards += 1;
        self.points += u16::from(rules.card_points(card));
    }

    /// The hand after its heaviest discard; among equals, after the one with the most cards.
    pub(crate) fn after_heaviest(&self, values: &Values) -> Hand {
        let mut best = (0, 0, None);
        let mut consider = |points: u16, cards: u8, thrown| {
            if cards > 0 && (points, cards) > (best.0, best.1) {
                best = (points, cards, Some(thrown));
            }
        };
        for (rank, count) in self.ranks.iter().enumerate() {
            consider(u16::from(*count) * values.ranks[rank], *count, Thrown::Rank(rank));
        }
        let together = if values.joker_pair { self.jokers } else { self.jokers.min(1) };
        consider(u16::from(together) * values.joker, together, Thrown::Jokers(together));
        let jokers = if values.jokers_in_runs { self.jokers } else { 0 };
        for (suit, places) in self.suits.iter().enumerate() {
            runs(*places, jokers, values, |points, cards, places, jokers| {
                consider(points, cards, Thrown::Run { suit, places, jokers });
            });
        }
        best.2.map_or(*self, |thrown| self.without(values, thrown))
    }

    fn without(&self, values: &Values, thrown: Thrown) -> Hand {
        let mut left = *self;
        match thrown {
            Thrown::Rank(rank) => {
                left.points -= (u16::from(left.ranks[rank]) * values.ranks[rank]).min(left.points);
                left.cards -= left.ranks[rank];
                left.ranks[rank] = 0;
                left.suits.iter_mut().for_each(|suit| *suit &= !(1 << rank));
            }
            Thrown::Jokers(jokers) => left.lose_jokers(jokers, values),
            Thrown::Run { suit, places, jokers } => {
                for rank in (0..13).filter(|rank| places >> rank & 1 == 1) {
                    left.points -= values.ranks[rank].min(left.points);
                    left.cards -= 1;
                    left.ranks[rank] -= 1;
                }
                left.suits[suit] &= !places;
                left.lose_jokers(jokers, values);
            }
        }
        left
    }

    fn lose_jokers(&mut self, jokers: u8, values: &Values) {
        self.jokers -= jokers;
        self.cards -= jokers;
        self.points -= (u16::from(jokers) * values.joker).min(self.points);
    }

    /// Pairs of cards of one suit whose ranks differ by this number.
    pub(crate) fn pairs_at(&self, distance: u32) -> usize {
        let pairs: u32 = self.suits.iter().map(|suit| (suit & (suit >> distance)).count_ones()).sum();
        usize::try_from(pairs).unwrap_or(0)
    }

    /// Whether a card is part of no run with these cards in which its suit matters. Jokers are alone.
    pub(crate) fn is_alone(&self, card: Card) -> bool {
        // Neighbours make a run by themselves or with a joker between them, and with two jokers from farther off.
        let reach = if self.jokers >= 2 { 3 } else { 2 };
        place(card).is_none_or(|(rank, suit)| {
            let near = ((1_u32 << (2 * reach + 1)) - 1) << rank >> reach;
            u32::from(self.suits[suit]) & near == 0
        })
    }

    /// Number of the unseen cards that make a set with one of these, and of those of at least seven points.
    pub(crate) fn set_outs(&self, unseen: &Hand, values: &Values) -> [usize; 2] {
        let held = (0..13).filter(|rank| self.ranks[*rank] > 0);
        held.fold([0, 0], |[all, heavy], rank| {
            let outs = usize::from(unseen.ranks[rank]);
            [all + outs, heavy + if values.ranks[rank] >= 7 { outs } else { 0 }]
        })
    }

    /// Number of the unseen cards that make a run of three with two of these.
    pub(crate) fn run_outs(&self, unseen: &Hand) -> usize {
        let outs = self.suits.iter().zip(&unseen.suits).map(|(own, unseen)| {
            let (next, gap) = (own & (own >> 1), own & (own >> 2));
            ((next >> 1 | next << 2 | gap << 1) & !own & unseen).count_ones()
        });
        usize::try_from(outs.sum::<u32>()).unwrap_or(0)
    }

    /// Points of the lightest card; 0 without cards.
    pub(crate) fn lightest(&self, values: &Values) -> u16 {
        let naturals = self.ranks.iter().zip(values.ranks).filter(|(count, _)| **count > 0);
        let naturals = naturals.map(|(_, points)| points);
        naturals.chain((self.jokers > 0).then_some(values.joker)).min().unwrap_or(0)
    }
}

/// Calls `found` with the points, cards, naturals and jokers of each run of a suit.
fn runs(places: u16, jokers: u8, values: &Values, mut found: impl FnMut(u16, u8, u16, u8)) {
    let next = places & (places >> 1);
    let possible = match jokers {
        0 => next & (places >> 2),
        1 => next | (places & (places >> 2)),
        _ => places,
    };
    if possible == 0 {
        return;
    }
    for low in 0..11 {
        let (mut points, mut naturals, mut used, mut bits) = (0, 0_u8, 0_u8, 0_u16);
        for rank in low..13 {
            if places >> rank & 1 == 1 {
                naturals += 1;
                points += values.ranks[rank];
                bits |= 1 << rank;
            } else if used < jokers {
                used += 1;
                points += values.joker;
            } else {
                break;
            }
            if naturals + used >= 3 && naturals >= values.min_naturals {
                found(points, naturals + used, bits, used);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use yaniv_engine::Preset;

    use super::*;
    use crate::dice::Dice;

    #[test]
    fn the_heaviest_discard_is_that_of_the_engine() {
        for preset in Preset::ALL {
            let rules = Rules::new(preset.options()).unwrap();
            let (values, mut dice) = (Values::of(&rules), Dice::new(1));
            let mut pack: Vec<Card> = Card::all().filter(|card| !card.is_joker()).collect();
            pack.extend([Card::BLACK_JOKER, Card::RED_JOKER].into_iter().take(rules.options().jokers.into()));
            for _ in 0..2000 {
                let count = 1 + dice.below(6);
                let mut rest = pack.clone();
                let cards: Vec<Card> = (0..count).map(|_| rest.swap_remove(dice.below(rest.len()))).collect();
                let hand = Hand::of(&rules, &cards);
                let left = hand.after_heaviest(&values);
                assert_eq!(hand.points, rules.points(&cards));
                assert_eq!(hand.points - left.points, rules.heaviest_discard(&cards), "{preset} {cards:?}");
            }
        }
    }
}
