//! The stored form of the networks: version, then the weights, deflated; numbers in little endian.

use std::fmt;

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

use crate::expert::inputs::{CALL_INPUTS, PLAY_INPUTS};
use crate::expert::network::Network;
use crate::expert::{CALL_UNITS, Expert, PLAY_UNITS};

/// The format and its version.
const HEADER: &[u8] = b"yaniv-expert/3\n";

/// More bytes than the weights of a file have, compressed or not.
const CAPACITY: usize = 1 << 17;

/// Bytes that are no weights of this version.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct BadWeights;

impl fmt::Display for BadWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("these are no weights of yaniv-expert/3, or they are damaged")
    }
}

impl std::error::Error for BadWeights {}

impl Expert {
    /// The stored form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut weights = Vec::new();
        self.plays.write(&mut weights);
        self.calls.write(&mut weights);
        let mut bytes = HEADER.to_vec();
        bytes.reserve(CAPACITY);
        let mut stream = Compress::new(Compression::best(), true);
        // It writes to memory that is large enough.
        let _status = stream.compress_vec(&weights, &mut bytes, FlushCompress::Finish);
        bytes
    }

    /// Reads the stored form.
    ///
    /// # Errors
    /// If it has another version or length, or is damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Expert, BadWeights> {
        let deflated = bytes.strip_prefix(HEADER).ok_or(BadWeights)?;
        let mut weights = Vec::with_capacity(CAPACITY);
        let mut stream = Decompress::new(true);
        let status = stream.decompress_vec(deflated, &mut weights, FlushDecompress::Finish);
        let all_read = u64::try_from(deflated.len()) == Ok(stream.total_in());
        if !matches!(status, Ok(Status::StreamEnd)) || !all_read {
            return Err(BadWeights);
        }
        let mut rest = weights.as_slice();
        let plays = Network::<PLAY_UNITS>::read(&mut rest, PLAY_INPUTS)?;
        let calls = Network::<CALL_UNITS>::read(&mut rest, CALL_INPUTS)?;
        if rest.is_empty() { Ok(Expert { plays, calls }) } else { Err(BadWeights) }
    }
}

impl<const N: usize> Network<N> {
    fn write(&self, bytes: &mut Vec<u8>) {
        for row in &self.rows {
            bytes
                .extend(row.iter().flat_map(|weight| i8::try_from(*weight).unwrap_or(i8::MAX).to_le_bytes()));
        }
        for weights in [&self.bias].into_iter().chain(&self.outputs) {
            bytes.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        bytes.extend(self.offsets.iter().flat_map(|offset| offset.to_le_bytes()));
    }

    fn read(bytes: &mut &[u8], inputs: usize) -> Result<Self, BadWeights> {
        let mut rows = vec![[0; N]; inputs];
        for weight in rows.iter_mut().flatten() {
            *weight = i16::from(i8::from_le_bytes(take(bytes)?));
        }
        let mut units = || -> Result<[i16; N], BadWeights> {
            let mut weights = [0; N];
            for weight in &mut weights {
                *weight = i16::from_le_bytes(take(bytes)?);
            }
            Ok(weights)
        };
        let (bias, outputs) = (units()?, [units()?, units()?]);
        let offsets = [i32::from_le_bytes(take(bytes)?), i32::from_le_bytes(take(bytes)?)];
        Ok(Network { rows, bias, outputs, offsets })
    }
}

fn take<const N: usize>(bytes: &mut &[u8]) -> Result<[u8; N], BadWeights> {
    let (first, rest) = bytes.split_first_chunk::<N>().ok_or(BadWeights)?;
    *bytes = rest;
    Ok(*first)
}
