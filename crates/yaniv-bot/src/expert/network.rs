//! A small neural network with integer weights: inputs that are on or off, one hidden layer, two outputs. The same
//! numbers on every machine.

#![expect(clippy::indexing_slicing, reason = "inputs are below the number of rows, hidden units below N")]

/// Hidden units saturate here; 64 is 1.
const SATURATED: i16 = 64 * 16;
/// Units that are summed at a time.
const LANES: usize = 16;
/// The bits of an output that are its fraction: 64 of the hidden units times 1024 of the weights is 1.
const FRACTION: u32 = 16;

/// Estimated outcome of the round for a seat.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The mean score of the others less the own one, in thousandths of a point.
    pub points: i32,
    /// Chance to have the lowest score, in thousandths; may lie a little outside 0 to 1000.
    pub wins: i32,
}

/// Points that are 1 in an output.
pub const POINTS_SCALE: i32 = 40;

/// The network with `N` hidden units, a multiple of 16.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network<const N: usize> {
    /// A row of `N` weights for each input, -127 to 127; 64 is 1.
    pub(crate) rows: Vec<[i16; N]>,
    /// The hidden units without inputs; 64 is 1.
    pub(crate) bias: [i16; N],
    /// The weights of each output; 1024 is 1.
    pub(crate) outputs: [[i16; N]; 2],
    /// The outputs without hidden units; 65536 is 1.
    pub(crate) offsets: [i32; 2],
}

/// Sums of the hidden units for some inputs. More inputs can be added to a copy.
#[derive(Copy, Clone)]
pub(crate) struct Sums<const N: usize>([i16; N]);

impl<const N: usize> Network<N> {
    /// A network of these weights: rows of the inputs, biases, weights and offsets of the outputs.
    ///
    /// Weights are rounded to the precision of the integers and limited to their range.
    pub fn rounded(rows: &[[f32; N]], bias: &[f32; N], outputs: &[[f32; N]; 2], offsets: [f32; 2]) -> Self {
        let row = |row: &[f32; N]| row.map(|weight| round(weight * 64.0, 127.0) as i16);
        Network {
            rows: rows.iter().map(row).collect(),
            bias: bias.map(|weight| round(weight * 64.0, 8000.0) as i16),
            outputs: outputs.map(|output| output.map(|weight| round(weight * 1024.0, 32000.0) as i16)),
            offsets: offsets.map(|offset| round(offset * 65536.0, 1e6)),
        }
    }

    /// The weights, as [`rounded`](Network::rounded) takes them.
    pub fn weights(&self) -> (Vec<[f32; N]>, [f32; N], [[f32; N]; 2], [f32; 2]) {
        let rows = self.rows.iter().map(|row| row.map(|weight| f32::from(weight) / 64.0)).collect();
        let outputs = self.outputs.map(|output| output.map(|weight| f32::from(weight) / 1024.0));
        (rows, self.bias.map(|weight| f32::from(weight) / 64.0), outputs, self.offsets.map(|offset| offset as f32 / 65536.0))
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
            let products = active.iter().zip(weights).map(|(unit, weight)| i32::from(*unit) * i32::from(*weight));
            i64::from(network.offsets[which]) + i64::from(products.sum::<i32>())
        };
        let scaled = |number: i64, scale: i64| ((number * scale) >> FRACTION) as i32;
        Value { points: scaled(output(0), 1000 * i64::from(POINTS_SCALE)), wins: scaled(output(1), 1000) }
    }
}

fn round(number: f32, most: f32) -> i32 {
    number.round().clamp(-most, most) as i32
}
