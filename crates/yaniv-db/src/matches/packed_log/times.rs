//! Times of a packed log, as planes of bytes: all lowest bytes, then all second ones, and so on.
//!
//! Low bytes of the time that people take are as good as random; high ones repeat, and are compressed with the columns.

use serde::{Deserialize, Serialize};

/// Microseconds in a millisecond.
const MILLISECOND: i64 = 1000;

/// What is compressed of the times.
#[derive(Serialize, Deserialize)]
pub(super) struct HighPlanes {
    /// The first time, in microseconds since 1970.
    first: i64,
    /// Whether one of the times is finer than a millisecond; the differences are then in microseconds.
    fine: bool,
    /// The planes above the low ones.
    planes: Vec<u8>,
}

/// Low planes, which are not compressed.
fn low_planes(fine: bool) -> usize {
    if fine { 3 } else { 2 }
}

/// Splits times: the low planes, and the rest. Differences have as many bytes, in two's complement, as the largest needs.
pub(super) fn split(times: &[i64]) -> (Vec<u8>, HighPlanes) {
    let fine = times.iter().any(|time| time.rem_euclid(MILLISECOND) != 0);
    let unit = if fine { 1 } else { MILLISECOND };
    let steps: Vec<i64> = times.windows(2).map(|pair| step(pair).div_euclid(unit)).collect();
    let count = (1..8).find(|&bytes| steps.iter().all(|&step| signed(step, bytes) == step)).unwrap_or(8);
    let plane = |place: usize| steps.iter().filter_map(move |step| step.to_le_bytes().get(place).copied());
    let low = low_planes(fine);
    let high = HighPlanes {
        first: times.first().copied().unwrap_or_default(),
        fine,
        planes: (low..count).flat_map(plane).collect(),
    };
    ((0..low).flat_map(plane).collect(), high)
}

impl HighPlanes {
    /// The times of this many entries; none if the planes do not belong together.
    pub(super) fn join(&self, low: &[u8], entries: usize) -> Option<Vec<i64>> {
        let Some(steps) = entries.checked_sub(1) else { return Some(Vec::new()) };
        let unit = if self.fine { 1 } else { MILLISECOND };
        let mut planes = low.to_vec();
        planes.extend(&self.planes);
        let count = planes.len().checked_div(steps).unwrap_or_default();
        if planes.len() != count * steps || count > 8 || low.len() != low_planes(self.fine) * steps {
            return None;
        }
        let mut times = vec![self.first];
        let mut time = self.first;
        for place in 0..steps {
            let bytes = planes.iter().skip(place).step_by(steps);
            let mut step = [0; 8];
            step.iter_mut().zip(bytes).for_each(|(to, byte)| *to = *byte);
            time = time.wrapping_add(signed(i64::from_le_bytes(step), count).wrapping_mul(unit));
            times.push(time);
        }
        Some(times)
    }
}

fn step(pair: &[i64]) -> i64 {
    if let [before, after] = pair { after.wrapping_sub(*before) } else { 0 }
}

/// The value of this many lowest bytes.
fn signed(step: i64, bytes: usize) -> i64 {
    let unused = 8 * (8 - bytes);
    step << unused >> unused
}
