//! Sizes of the packed logs of matches that were played out, and the dictionary that they share.

use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta};
use yaniv_db::matches::packed_log::{FORMAT, WholeLog};

use super::play::Plan;
use crate::Error;
use crate::load::results::number::{pretty, real};

/// Size of a dictionary, in bytes.
const DICTIONARY_BYTES: usize = 16 << 10;

/// When the matches begin, in milliseconds since 1970: fixed, so that the dictionary can be made again.
const BEGINS: i64 = 1_767_225_600_000;

/// Prints bytes and times, and writes a dictionary to a file if one is given.
///
/// # Errors
/// If a log cannot be packed, or the file cannot be written.
pub fn print(matches: u64, dictionary: Option<&Path>) -> Result<(), Error> {
    let begins = DateTime::from_timestamp_millis(BEGINS).ok_or("a time out of bounds")?;
    let plan = Plan { matches, begins, ends: begins + TimeDelta::days(300), played_out: true };
    let log = |number| {
        let rows = plan.play(number)?;
        Ok::<_, Error>(WholeLog { entries: rows.log, rounds: rows.rounds })
    };
    let logs = (0..matches).map(log).collect::<Result<Vec<_>, _>>()?;
    if let Some(file) = dictionary {
        let samples = logs.iter().step_by(2).map(WholeLog::sample).collect::<Result<Vec<_>, _>>()?;
        std::fs::write(file, zstd::dict::from_samples(&samples, DICTIONARY_BYTES)?)?;
        return Ok(());
    }
    // The dictionary was made of the others.
    let measured: Vec<&WholeLog> = logs.iter().skip(1).step_by(2).collect();
    for format in 1..=FORMAT {
        println!("{}", of_format(format, &measured)?);
    }
    Ok(())
}

/// Mean bytes and times of these logs in a format.
fn of_format(format: i16, logs: &[&WholeLog]) -> Result<String, Error> {
    let (mut entries, mut bytes) = (0, 0);
    let (mut packing, mut unpacking) = (Duration::ZERO, Duration::ZERO);
    for log in logs {
        let start = Instant::now();
        let packed = log.pack_as(format)?;
        packing += start.elapsed();
        let Some(first) = log.entries.first() else { continue };
        let start = Instant::now();
        WholeLog::unpack(first.match_id, format, &packed)?;
        unpacking += start.elapsed();
        entries += u64::try_from(log.entries.len())?;
        bytes += u64::try_from(packed.len())?;
    }
    let count = real(u64::try_from(logs.len())?);
    let mean = |sum: u64| pretty(real(sum) / count);
    let micros = |time: Duration| pretty(time.as_secs_f64() * 1e6 / count);
    let (packing, unpacking) = (micros(packing), micros(unpacking));
    let (entries, bytes, count) = (mean(entries), mean(bytes), pretty(count));
    Ok(format!(
        "format {format}: {count} matches of {entries} entries: {bytes} bytes each, packed in {packing} µs, unpacked in \
         {unpacking} µs"
    ))
}
