//! A network with weights of floating point, and how it learns from an outcome.

use yaniv_bot::expert::{MOST_WEIGHT, Network, SATURATION, Weights};

use crate::dice::Dice;

/// The largest error that counts: rare outcomes must not overturn what was learned.
const LARGEST_ERROR: f32 = 1.5;

/// The outcome of a round for a seat: points in units of 40, and the share of the win.
pub(crate) type Outcome = [f32; 2];

/// A network that learns.
#[derive(Clone)]
pub(crate) struct Learner<const N: usize>(Weights<N>);

impl<const N: usize> Learner<N> {
    /// Small random weights.
    pub(crate) fn new(inputs: usize, dice: &mut Dice) -> Self {
        let mut weight = |most: f32| (dice.share() * 2.0 - 1.0) * most;
        Learner(Weights {
            rows: (0..inputs).map(|_| std::array::from_fn(|_| weight(0.1))).collect(),
            bias: std::array::from_fn(|_| weight(0.1) + 0.1),
            outputs: std::array::from_fn(|_| std::array::from_fn(|_| weight(0.2))),
            offsets: [0.0, 0.5],
        })
    }

    /// The weights of a network that was trained before.
    pub(crate) fn from_network(network: &Network<N>) -> Self {
        Learner(network.weights())
    }

    /// With integer weights.
    pub(crate) fn rounded(&self) -> Network<N> {
        Network::rounded(&self.0)
    }

    /// A step of stochastic gradient descent: moves the outputs for these inputs towards an outcome. Returns the
    /// squared error of the points.
    #[expect(clippy::indexing_slicing, reason = "inputs are below the number of rows, units below N")]
    pub(crate) fn learn(&mut self, inputs: &[u16], outcome: Outcome, rate: f32) -> f32 {
        let mut sums = self.0.bias;
        for input in inputs {
            for (sum, weight) in sums.iter_mut().zip(&self.0.rows[usize::from(*input)]) {
                *sum += weight;
            }
        }
        let active = sums.map(|sum| sum.clamp(0.0, SATURATION));
        let mut slope = [0.0; N];
        let mut squared = 0.0;
        let targets = outcome.iter().zip(&mut self.0.outputs).zip(&mut self.0.offsets);
        for (which, ((target, weights), offset)) in targets.enumerate() {
            let output: f32 = weights.iter().zip(&active).map(|(weight, unit)| weight * unit).sum();
            let error = *offset + output - target;
            if which == 0 {
                squared = error * error;
            }
            let moved = error.clamp(-LARGEST_ERROR, LARGEST_ERROR) * rate;
            *offset -= moved;
            for ((weight, unit), slope) in weights.iter_mut().zip(&active).zip(&mut slope) {
                *slope += moved * *weight;
                *weight -= moved * unit;
            }
        }
        for ((slope, sum), bias) in slope.iter_mut().zip(sums).zip(&mut self.0.bias) {
            *slope = if (0.0..SATURATION).contains(&sum) { *slope } else { 0.0 };
            *bias -= *slope;
        }
        for input in inputs {
            for (weight, slope) in self.0.rows[usize::from(*input)].iter_mut().zip(&slope) {
                *weight = (*weight - slope).clamp(-MOST_WEIGHT, MOST_WEIGHT);
            }
        }
        squared
    }

    /// Moves the weights to those of another network by this share.
    pub(crate) fn blend(&mut self, other: &Self, share: f32) {
        let blend = |own: &mut f32, other: &f32| *own += (*other - *own) * share;
        for (own, other) in self.0.rows.iter_mut().flatten().zip(other.0.rows.iter().flatten()) {
            blend(own, other);
        }
        for (own, other) in self.0.bias.iter_mut().zip(&other.0.bias) {
            blend(own, other);
        }
        for (own, other) in self.0.outputs.iter_mut().flatten().zip(other.0.outputs.iter().flatten()) {
            blend(own, other);
        }
        for (own, other) in self.0.offsets.iter_mut().zip(&other.0.offsets) {
            blend(own, other);
        }
    }
}
