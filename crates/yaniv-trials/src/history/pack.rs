//! Sizes of the packed logs of matches that were played out, and the dictionary that they share.

use std::path::Path;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta};
use yaniv_db::matches::packed_log::{FORMAT, WholeLog};

use super::play::Plan;
use crate::Error;
use crate::load::results::number::{pretty, real};
use crate::player::Random;

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
    let plan = Plan { matches, begins, ends: begins + TimeDelta::days(300) };
    let logs = (0..matches).map(|number| played_out(&plan, number)).collect::<Result<Vec<_>, _>>()?;
    if let Some(file) = dictionary {
        let samples = logs.iter().step_by(2).map(WholeLog::sample).collect::<Result<Vec<_>, _>>()?;
        std::fs::write(file, zstd::dict::from_samples(&samples, DICTIONARY_BYTES)?)?;
        return Ok(());
    }
    let (mut entries, mut bytes, mut compressible) = (0_usize, 0_usize, 0_usize);
    let (mut packing, mut unpacking) = (Duration::ZERO, Duration::ZERO);
    // The dictionary was made of the others.
    let measured = logs.iter().skip(1).step_by(2);
    let count = measured.len();
    for log in measured {
        let start = Instant::now();
        let packed = log.pack()?;
        packing += start.elapsed();
        let Some(first) = log.entries.first() else { continue };
        let start = Instant::now();
        WholeLog::unpack(first.match_id, FORMAT, &packed)?;
        unpacking += start.elapsed();
        entries += log.entries.len();
        bytes += packed.len();
        compressible += log.sample()?.len();
    }
    let count = real(u64::try_from(count)?);
    let mean = |sum: usize| Ok::<_, Error>(pretty(real(u64::try_from(sum)?) / count));
    println!(
        "{} matches of {} entries: {} bytes each, {} before compression;",
        pretty(count),
        mean(entries)?,
        mean(bytes)?,
        mean(compressible)?
    );
    let micros = |time: Duration| pretty(time.as_secs_f64() * 1e6 / count);
    println!("packed in {} µs, unpacked in {} µs.", micros(packing), micros(unpacking));
    Ok(())
}

/// A match with times and idempotency keys as people's phones would make them.
fn played_out(plan: &Plan, number: u64) -> Result<WholeLog, Error> {
    let rows = plan.play_out(number)?;
    let mut log = WholeLog { entries: rows.log, rounds: rows.rounds };
    let mut random = Random(number.wrapping_add(1));
    for entry in &mut log.entries {
        entry.at += TimeDelta::microseconds(i64::try_from(random.next() % 1_000_000)?);
        let [a, b, c, d, ..] = random.next().to_be_bytes();
        entry.key_hash = Some(i64::from_be_bytes(random.next().to_be_bytes()));
        entry.fingerprint = Some(i32::from_be_bytes([a, b, c, d]));
    }
    for round in &mut log.rounds {
        let last = usize::try_from(round.last_version - 1)?;
        round.ended_at = log.entries.get(last).ok_or("a round without its last entry")?.at;
    }
    Ok(log)
}
