//! Accounts of the matches: a few very active ones, many that play little.

use uuid::Builder;
use yaniv_bot::Level;
use yaniv_model::ids::AccountId;

use crate::player::Random;

/// Number of very active accounts, and the percentage of seats that one of them has.
const HEAVY: u64 = 3;
const HEAVY_SEATS: usize = 3;
/// The ordinary account is number count / 2; number 0 is very active.
pub const LIGHT_SHARE: u64 = 2;

/// The accounts, by number: very active ones first, house bots last.
#[derive(Clone, Copy, Debug)]
pub struct People {
    count: u64,
}

impl People {
    /// As many as suit this many matches.
    #[must_use]
    pub fn of(matches: u64) -> Self {
        Self { count: (matches / 10).max(40) }
    }

    /// Number of human players.
    #[must_use]
    pub fn count(self) -> u64 {
        self.count
    }

    /// The ordinary account.
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

    /// This many different players for a match.
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

    /// A uniform random number squared, times their count: low numbers are frequent, high ones rare.
    fn one(self, random: &mut Random) -> u64 {
        if random.below(100) < HEAVY_SEATS {
            return random.next() % HEAVY;
        }
        let even = u128::from(random.next() >> 32);
        u64::try_from((even * even * u128::from(self.count)) >> 64).unwrap_or_default()
    }
}

/// The identifier of an account.
#[must_use]
pub fn account(number: u64) -> AccountId {
    // Created one per second from the start of 2023.
    AccountId(identifier(1_672_531_200_000 + number * 1000, number ^ 0xacc0))
}

/// An identifier with a time in milliseconds; the rest derives from a number.
#[must_use]
pub fn identifier(milliseconds: u64, number: u64) -> uuid::Uuid {
    let mut random = Random(number);
    let bytes = [random.next().to_be_bytes(), random.next().to_be_bytes()].concat();
    Builder::from_unix_timestamp_millis(milliseconds, &bytes.first_chunk().copied().unwrap_or_default())
        .into_uuid()
}
