//! The bytes of an input as a source of choices. When they are used up, every choice is the first option.

use crate::support::Choose;

pub(crate) struct Tape<'a>(pub(crate) &'a [u8]);

impl Tape<'_> {
    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }
}

impl Choose for Tape<'_> {
    fn below(&mut self, n: usize) -> usize {
        if n <= 1 {
            return 0;
        }
        let number = if n <= 256 {
            usize::from(self.byte())
        } else {
            usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
        };
        number % n
    }
}
