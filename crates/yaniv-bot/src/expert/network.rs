//! A small neural network with integer weights: inputs that are on or off, one hidden layer, two outputs. The same
//! numbers on every machine.

#![expect(clippy::indexing_slicing, reason = "inputs are below the number of rows, hidden units below N")]

/// 1 as a weight of an input, a bias and a hidden unit. Weights of inputs are small: most are below a tenth.
const ONE: f32 = 256.0;
/// 1 as a weight of an output.
const ONE_OUT: f32 = 1024.0;
/// Hidden units saturate here.
const SATURATED: i16 = 256 * 8;
/// The same as a number of floating point.
pub const SATURATION: f32 = 8.0;
/// The largest weight of an input, 127 / 256.
pub const MOST_WEIGHT: f32 = 127.0 / ONE;
/// Units that are summed at a time.
const LANES: usize = 16;
/// The bits of an output that are its fraction: 256 times 1024 is 1.
const FRACTION: u32 = 18;

/// Estimated outcome of the round for a seat.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The gain in match equity (the chance to win the match), converted to thousandths of a point of the score. Far from
    /// reductions and elimination it is the mean score of the others minus the own score.
    pub points: i32,
    /// Chance to have the lowest score, in thousandths; may lie a little outside 0 to 1000.
    pub wins: i32,
}

/// Points that are 1 in an output.
pub const POINTS_SCALE: i32 = 40;

/// The network with `N` hidden units, a multiple of 16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network<const N: usize> {
    /// A row of `N` weights for each input, -127 to 127; 256 is 1.
    pub(crate) rows: Vec<[i16; N]>,
    /// The hidden units without inputs; 256 is 1.
    pub(crate) bias: [i16; N],
    /// The weights of each output; 1024 is 1.
    pub(crate) outputs: [[i16; N]; 2],
    /// The outputs without hidden units; 262144 is 1.
    pub(crate) offsets: [i32; 2],
}

/// The weights of a network as numbers of floating point, for training.
#[derive(Clone, Debug)]
pub struct Weights<const N: usize> {
    /// A row for each input.
    pub rows: Vec<[f32; N]>,
    /// The hidden units without inputs.
    pub bias: [f32; N],
    /// The weights of each output.
    pub outputs: [[f32; N]; 2],
    /// The outputs without hidden units.
    pub offsets: [f32; 2],
}

/// Sums of the hidden units for some inputs. More inputs can be added to a copy.
#[derive(Copy, Clone)]
pub(crate) struct Sums<const N: usize>([i16; N]);

impl<const N: usize> Network<N> {
    /// A network of these weights, rounded to the precision of the integers and limited to their range.
    pub fn rounded(weights: &Weights<N>) -> Self {
        Network {
            rows: weights.rows.iter().map(|row| row.map(|weight| small(weight * ONE, 127.0))).collect(),
            bias: weights.bias.map(|weight| small(weight * ONE, 16_000.0)),
            outputs: weights.outputs.map(|output| output.map(|weight| small(weight * ONE_OUT, 8000.0))),
            offsets: weights.offsets.map(|offset| round(offset * ONE * ONE_OUT, 4e6)),
        }
    }

    /// The weights.
    pub fn weights(&self) -> Weights<N> {
        Weights {
            rows: self.rows.iter().map(|row| row.map(|weight| f32::from(weight) / ONE)).collect(),
            bias: self.bias.map(|weight| f32::from(weight) / ONE),
            outputs: self.outputs.map(|output| output.map(|weight| f32::from(weight) / ONE_OUT)),
            offsets: self.offsets.map(|offset| float(offset) / (ONE * ONE_OUT)),
        }
    }

    /// The sums of these inputs.
    pub(crate) fn sums(&self, inputs: &[u16]) -> Sums<N> {
        let mut sums = Sums(self.bias);
        sums.add(self, inputs);
        sums
    }

    /// The outputs for these inputs.
    pub fn value(&self, inputs: &[u16]) -> Value {
        self.sums(inputs).value(self)
    }
}

impl<const N: usize> Sums<N> {
    /// Adds inputs.
    pub(crate) fn add(&mut self, network: &Network<N>, inputs: &[u16]) {
        // Some units at a time, so that the compiler keeps their sums in registers.
        for (group, sums) in self.0.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
            for input in inputs {
                let weights = &network.rows[usize::from(*input)].as_chunks::<LANES>().0[group];
                for (sum, weight) in sums.iter_mut().zip(weights) {
                    *sum = sum.wrapping_add(*weight);
                }
            }
        }
    }

    /// The outputs.
    pub(crate) fn value(&self, network: &Network<N>) -> Value {
        let active = self.0.map(|sum| sum.clamp(0, SATURATED));
        let output = |which: usize| -> i64 {
            let weights = &network.outputs[which];
            let products =
                active.iter().zip(weights).map(|(unit, weight)| i32::from(*unit) * i32::from(*weight));
            i64::from(network.offsets[which]) + i64::from(products.sum::<i32>())
        };
        let scaled = |number: i64, scale: i64| i32::try_from((number * scale) >> FRACTION).unwrap_or(0);
        Value { points: scaled(output(0), 1000 * i64::from(POINTS_SCALE)), wins: scaled(output(1), 1000) }
    }
}

fn small(number: f32, most: f32) -> i16 {
    i16::try_from(round(number, most)).unwrap_or(0)
}

#[expect(clippy::as_conversions, reason = "it is within bounds, and the fraction is 0")]
fn round(number: f32, most: f32) -> i32 {
    number.round().clamp(-most, most) as i32
}

#[expect(clippy::as_conversions, reason = "offsets are below 2^23: exact")]
fn float(number: i32) -> f32 {
    number as f32
}
