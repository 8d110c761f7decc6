//! Random numbers from a seed: a training with the same seed gives the same weights.

/// `SplitMix64`.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from(self.next() % n).unwrap_or(0)
    }

    /// A number from 0 up to, but not including, 1.
    #[expect(clippy::as_conversions, reason = "24 bits are exact in a float")]
    pub(crate) fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }

    pub(crate) fn chance(&mut self, share: f32) -> bool {
        self.share() < share
    }
}
