//! The chance that a hand of which some cards are hidden has few points: counted exactly in integers, as if each unseen
//! card were as likely as any other.

#![expect(clippy::indexing_slicing, reason = "cards and points are below the sizes of the tables")]

use yaniv_engine::Rules;

use crate::unseen::Unseen;

/// Highest number of hidden cards that is counted; a longer hand is never light.
const MOST_CARDS: usize = 8;
/// Highest points that are asked for.
const MOST_POINTS: usize = 12;

/// The unseen cards by their points.
pub(crate) struct Pool {
    /// Number of cards of 0, 1, 2 … points.
    light: [u64; MOST_POINTS + 1],
    all: u64,
}

impl Pool {
    pub(crate) fn of(unseen: &Unseen, rules: &Rules) -> Pool {
        let mut pool = Pool { light: [0; MOST_POINTS + 1], all: 0 };
        for (card, count) in unseen.kinds() {
            if let Some(light) = pool.light.get_mut(usize::from(rules.card_points(card))) {
                *light += u64::from(count);
            }
            pool.all += u64::from(count);
        }
        pool
    }

    /// Number of cards of at most this number of points.
    pub(crate) fn up_to(&self, points: usize) -> usize {
        let count: u64 = self.light.iter().take(points + 1).sum();
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// The chance in thousandths that `hidden` cards have at most `points` together.
    pub(crate) fn chance(&self, hidden: usize, points: Option<u16>) -> u32 {
        let Some(points) = points else { return 0 };
        let points = usize::from(points).min(MOST_POINTS);
        if hidden > MOST_CARDS {
            return 0;
        }
        let mut ways = [[0_u64; MOST_POINTS + 1]; MOST_CARDS + 1];
        ways[0][0] = 1;
        for (each, &there) in self.light.iter().enumerate().take(points + 1) {
            if there == 0 {
                continue;
            }
            for cards in (1..=hidden).rev() {
                for sum in (0..=points).rev() {
                    let mut more = 0;
                    for taken in 1..=cards.min(sum.checked_div(each).unwrap_or(cards)) {
                        more += ways[cards - taken][sum - taken * each] * choose(there, taken);
                    }
                    ways[cards][sum] += more;
                }
            }
        }
        let light: u64 = ways[hidden].iter().sum();
        let all = choose(self.all, hidden).max(1);
        u32::try_from(u128::from(light) * 1000 / u128::from(all)).unwrap_or(1000).min(1000)
    }
}

/// The binomial coefficient: the number of ways to take `taken` of these cards.
fn choose(cards: u64, taken: usize) -> u64 {
    let taken = u64::try_from(taken).unwrap_or(0);
    if taken > cards {
        return 0;
    }
    (0..taken).fold(1, |ways, place| ways * (cards - place) / (place + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chance_is_that_of_counting_all_hands() {
        // Two cards of 0 points, three of 1, two of 4, and five heavy ones.
        let mut pool = Pool { light: [0; MOST_POINTS + 1], all: 12 };
        (pool.light[0], pool.light[1], pool.light[4]) = (2, 3, 2);
        let pack = [0, 0, 1, 1, 1, 4, 4, 20, 20, 20, 20, 20];
        for hidden in 0..=4_u32 {
            for points in 0..=9_u16 {
                let (mut light, mut all) = (0, 0);
                for chosen in (0..1_u32 << 12).filter(|chosen| chosen.count_ones() == hidden) {
                    let sum: u16 =
                        (0..12).filter(|card| chosen >> card & 1 == 1).map(|card| pack[card]).sum();
                    all += 1;
                    light += u32::from(sum <= points);
                }
                let cards = usize::try_from(hidden).unwrap();
                assert_eq!(pool.chance(cards, Some(points)), light * 1000 / all, "{hidden} {points}");
            }
        }
        assert_eq!((pool.chance(2, None), pool.chance(MOST_CARDS + 1, Some(5))), (0, 0));
        assert_eq!(pool.up_to(3), 5);
    }
}
