//! Who plays: some very much, most of them little.

use uuid::Builder;
use yaniv_bot::Level;
use yaniv_model::ids::AccountId;

use crate::player::Random;

/// Those who play very much, and how many of a hundred seats one of them has.
const HEAVY: u64 = 3;
const HEAVY_SEATS: usize = 3;
/// An ordinary account is this one; the first of all is one that plays very much.
pub const LIGHT_SHARE: u64 = 2;

/// The accounts, by number: first those that play much, last the bots of the house.
#[derive(Clone, Copy, Debug)]
pub struct People {
    count: u64,
}

impl People {
    /// As many as go with so many matches.
    #[must_use]
    pub fn of(matches: u64) -> Self {
        Self { count: (matches / 10).max(40) }
    }

    /// How many people there are.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count
    }

    /// One with some matches.
    #[must_use]
    pub fn light(self) -> u64 {
        self.count / LIGHT_SHARE
    }

    /// The number of a bot.
    #[must_use]
    pub fn bot(self, level: Level) -> u64 {
        let place = Level::ALL.iter().position(|one| *one == level).unwrap_or_default();
        self.count + u64::try_from(place).unwrap_or_default()
    }

    /// So many people for a match, all of them different.
    #[must_use]
    pub fn drawn(self, size: usize, random: &mut Random) -> Vec<u64> {
        let mut drawn = Vec::with_capacity(size);
        while drawn.len() < size {
            let one = self.one(random);
            if !drawn.contains(&one) {
                drawn.push(one);
            }
        }
        drawn
    }

    /// The square of an even chance, times their number: early numbers come often, late ones seldom.
    fn one(self, random: &mut Random) -> u64 {
        if random.below(100) < HEAVY_SEATS {
            return random.next() % HEAVY;
        }
        let even = u128::from(random.next() >> 32);
        u64::try_from((even * even * u128::from(self.count)) >> 64).unwrap_or_default()
    }
}

/// The identifier of an account, by its number.
#[must_use]
pub fn account(number: u64) -> AccountId {
    // From the beginning of 2023 on, a second after the other.
    AccountId(identifier(1_672_531_200_000 + number * 1000, number ^ 0xacc0))
}

/// An identifier of a time in milliseconds, the rest of it by a number.
#[must_use]
pub fn identifier(milliseconds: u64, number: u64) -> uuid::Uuid {
    let mut random = Random(number);
    let bytes = [random.next().to_be_bytes(), random.next().to_be_bytes()].concat();
    Builder::from_unix_timestamp_millis(milliseconds, &bytes.first_chunk().copied().unwrap_or_default())
        .into_uuid()
}
