//! The packed form of a match that is over: its log and its finished rounds in a few kilobytes, for `archived_logs`.
//!
//! Entries are stored by column and compressed by zstd with a shared dictionary. Of what readers see nothing is lost.
//! Not stored are the starts of rounds, which the log determines, and most bits of idempotency keys ([`short_key`]).
//! A format never changes, so that old rows stay readable; a new one gets a number and files of its own.

use std::collections::HashMap;
use std::sync::LazyLock;

use chrono::DateTime;
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use zstd::bulk::{Compressor, Decompressor};
use zstd::dict::{DecoderDictionary, EncoderDictionary};

use crate::error::StoreError;
use crate::matches::log::ActionRow;
use crate::matches::rounds::RoundRow;

mod times;

use times::HighPlanes;

/// The format of newly packed logs. In format 1 times are not split into planes.
pub const FORMAT: i16 = 2;

/// Dictionaries: parts of typical packed logs, made by `history pack --dictionary` of `yaniv-trials`.
const DICTIONARY_1: &[u8] = include_bytes!("packed_log/format_1.dictionary");
const DICTIONARY_2: &[u8] = include_bytes!("packed_log/format_2.dictionary");
/// The same, prepared once: preparing takes longer than unpacking a log, and a quarter of the time of packing one.
static DECODER_1: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY_1));
static DECODER_2: LazyLock<DecoderDictionary<'static>> =
    LazyLock::new(|| DecoderDictionary::copy(DICTIONARY_2));
static ENCODER_2: LazyLock<EncoderDictionary<'static>> =
    LazyLock::new(|| EncoderDictionary::copy(DICTIONARY_2, LEVEL));
/// Compression level: packing takes milliseconds, once for each match.
const LEVEL: i32 = 19;
/// Limit of the unpacked size, in bytes.
const MOST_BYTES: usize = 64 << 20;

/// Bits of the hash of a key that are kept.
const KEY_BITS: i64 = 0x00ff_ffff;
/// Bits of a fingerprint that are kept.
const FINGERPRINT_BITS: i32 = 0xff;

/// In `Columns::key_marks`: the key of the entry before.
const KEY_SAME: u8 = 1;
/// In `Columns::key_marks`: the next of `Packed::keys`.
const KEY_OWN: u8 = 2;

/// Ranks and suits of the two-character codes of cards, in `details`, `draws` and `results` replaced by one byte.
const RANKS: &[u8; 14] = b"A23456789TJQKX";
const SUITS: &[u8; 6] = b"CDHSBR";
/// The first of these bytes; text in these columns is ASCII otherwise.
const FIRST_CARD: usize = 0x80;

/// The log and the finished rounds of a match that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct WholeLog {
    /// All entries, oldest first. Of their keys, [`short_key`] is left.
    pub entries: Vec<ActionRow>,
    /// Finished rounds, oldest first.
    pub rounds: Vec<RoundRow>,
}

/// The stored form. What is as good as random is not compressed, and would only disturb the compression of the rest.
#[derive(Serialize, Deserialize)]
struct Packed<Times> {
    /// Format 1: for each entry, microseconds since the one before; for the first, since 1970. Format 2: low planes of
    /// the times.
    times: Times,
    /// Short keys: three bytes of the hash and one of the fingerprint.
    keys: Vec<[u8; 4]>,
    /// Compressed. Format 1: `Columns`. Format 2: `HighPlanes` and `Columns`.
    columns: Vec<u8>,
}

/// Columns of a log; a column has a value for each entry unless it says otherwise.
///
/// Versions count from 1 without a gap.
#[derive(Default, Serialize, Deserialize)]
struct Columns {
    /// Difference to the round of the previous entry.
    rounds: Vec<i16>,
    flags: Vec<i16>,
    /// Seat plus one, 0 for none.
    seats: Vec<i16>,
    kinds: Vec<u8>,
    /// Index and account of the entries that have one.
    accounts: Vec<(u32, [u8; 16])>,
    /// 0 for no key, else `KEY_…`.
    key_marks: Vec<u8>,
    /// The details up to `+`, one a line.
    details: Vec<u8>,
    /// What follows the `+`, one a line.
    draws: Vec<u8>,
    /// Index and detail of the entries whose detail does not fit in these two columns.
    texts: Vec<(u32, String)>,
    /// Number of drawn cards plus one, 0 for none.
    drawn: Vec<u8>,
    /// Indices of the drawn cards.
    cards: Vec<u8>,
    /// For each finished round: number, starter, last version, and microseconds from that entry to its end.
    ended: Vec<(i16, i16, i32, i64)>,
    /// For each finished round: its result as JSON, a line; empty for none.
    results: Vec<u8>,
}

/// The part of an idempotency key, hash and fingerprint, that a packed log keeps.
///
/// 32 bits: a request with a new key, to a match of 600 entries that is over, is taken for a retry once in 7 million.
#[must_use]
pub fn short_key((hash, fingerprint): (i64, i32)) -> (i64, i32) {
    (hash & KEY_BITS, fingerprint & FINGERPRINT_BITS)
}

impl WholeLog {
    /// Packs the log of a match in the form of [`FORMAT`].
    ///
    /// # Errors
    /// `Damaged` if the log has anything that the format cannot hold.
    pub fn pack(&self) -> Result<Vec<u8>, StoreError> {
        self.pack_as(FORMAT)
    }

    /// Packs the log in an older form, for comparisons.
    ///
    /// # Errors
    /// As for `pack`; and for an unknown format.
    pub fn pack_as(&self, format: i16) -> Result<Vec<u8>, StoreError> {
        let (times, keys, columns) = self.split();
        let packed = match format {
            1 => {
                let compressor = Compressor::with_dictionary(LEVEL, DICTIONARY_1).map_err(cannot_pack)?;
                let columns = compress(compressor, &encode(&columns)?)?;
                let mut before = 0;
                let steps = times.iter().map(|&time| time.wrapping_sub(std::mem::replace(&mut before, time)));
                encode(&Packed { times: steps.collect::<Vec<i64>>(), keys, columns })?
            }
            2 => {
                let (times, high) = times::split(&times);
                let compressor = Compressor::with_prepared_dictionary(&ENCODER_2).map_err(cannot_pack)?;
                let columns = compress(compressor, &encode(&(high, columns))?)?;
                encode(&Packed { times, keys, columns })?
            }
            _ => return Err(cannot_pack("unknown format")),
        };
        let match_id = self.entries.first().map(|entry| entry.match_id).unwrap_or_default();
        if Self::unpack(match_id, format, &packed)? == self.with_short_keys() {
            Ok(packed)
        } else {
            Err(cannot_pack("it would not be the same afterwards"))
        }
    }

    /// Packs the log on a blocking thread: it takes milliseconds.
    ///
    /// # Errors
    /// As for `pack`.
    pub(crate) async fn pack_off_thread(self) -> Result<Vec<u8>, StoreError> {
        tokio::task::spawn_blocking(move || self.pack()).await.map_err(cannot_pack)?
    }

    /// Unpacks the log of a match.
    ///
    /// # Errors
    /// `Damaged` for an unknown format, and for bytes that are no packed log.
    pub fn unpack(match_id: Uuid, format: i16, packed: &[u8]) -> Result<Self, StoreError> {
        let log = match format {
            1 => unpack_1(match_id, packed),
            2 => unpack_2(match_id, packed),
            _ => {
                return Err(StoreError::Damaged(format!(
                    "archived log of {match_id}: unknown format {format}"
                )));
            }
        };
        log.ok_or_else(|| StoreError::Damaged(format!("archived log of {match_id}: it cannot be unpacked")))
    }

    /// What is compressed of the log: a sample for a dictionary.
    ///
    /// # Errors
    /// If it cannot be serialized.
    pub fn sample(&self) -> Result<Vec<u8>, StoreError> {
        let (times, _, columns) = self.split();
        encode(&(times::split(&times).1, columns))
    }

    /// Times in microseconds since 1970, keys, and the rest.
    fn split(&self) -> (Vec<i64>, Vec<[u8; 4]>, Columns) {
        let (mut times, mut keys) = (Vec::with_capacity(self.entries.len()), Vec::new());
        let (mut key, mut round, mut columns) = (None, 0, Columns::default());
        for (index, entry) in (0..).zip(&self.entries) {
            times.push(entry.at.timestamp_micros());
            let own = entry.short_key();
            columns.key_marks.push(match own {
                None => 0,
                Some(_) if own == key => KEY_SAME,
                Some((hash, fingerprint)) => {
                    let ([.., a, b, c], [.., d]) = (hash.to_be_bytes(), fingerprint.to_be_bytes());
                    keys.push([a, b, c, d]);
                    KEY_OWN
                }
            });
            key = own;
            columns.push(index, entry, round);
            round = entry.round;
        }
        self.rounds.iter().for_each(|round| columns.push_round(round, &self.entries));
        (times, keys, columns)
    }

    /// The log as it is after packing and unpacking.
    #[must_use]
    pub fn with_short_keys(&self) -> Self {
        let mut short = self.clone();
        for entry in &mut short.entries {
            let key = entry.short_key();
            entry.key_hash = key.map(|(hash, _)| hash);
            entry.fingerprint = key.map(|(_, fingerprint)| fingerprint);
        }
        short
    }
}

impl ActionRow {
    fn short_key(&self) -> Option<(i64, i32)> {
        self.key_hash.zip(self.fingerprint).map(short_key)
    }
}

impl Columns {
    fn push(&mut self, index: u32, entry: &ActionRow, round: i16) {
        self.rounds.push(entry.round.wrapping_sub(round));
        self.flags.push(entry.flags);
        self.seats.push(entry.seat.map_or(0, |seat| seat.wrapping_add(1)));
        self.kinds.push(entry.kind);
        self.accounts.extend(entry.account_id.map(|account| (index, account.into_bytes())));
        self.push_detail(index, &entry.detail);
        let drawn = entry.drew.as_deref();
        let count = drawn.map(|cards| u8::try_from(cards.len()).unwrap_or(u8::MAX));
        self.drawn.push(count.map_or(0, |count| count.wrapping_add(1)));
        self.cards.extend(drawn.into_iter().flatten());
    }

    fn push_round(&mut self, round: &RoundRow, entries: &[ActionRow]) {
        let last = entry_of(entries, round.last_version).map_or(0, |entry| entry.at.timestamp_micros());
        let micros = round.ended_at.timestamp_micros().wrapping_sub(last);
        self.ended.push((round.round, round.starter, round.last_version, micros));
        push_line(&mut self.results, &round.result.as_ref().map(ToString::to_string).unwrap_or_default());
    }

    fn push_detail(&mut self, index: u32, detail: &str) {
        let (start, draw) =
            detail.split_once('+').map_or((detail, None), |(start, draw)| (start, Some(draw)));
        let plain = detail.is_ascii() && !detail.contains('\n') && draw != Some("");
        if !plain {
            self.texts.push((index, detail.to_owned()));
        }
        push_line(&mut self.details, if plain { start } else { "" });
        push_line(&mut self.draws, if plain { draw.unwrap_or_default() } else { "" });
    }

    /// The log; none if the columns have different lengths or values that no entry has.
    fn log(self, match_id: Uuid, times: &[i64], keys: Vec<[u8; 4]>) -> Option<WholeLog> {
        let mut details = lines(&self.details)?.into_iter().zip(lines(&self.draws)?);
        let mut accounts: HashMap<u32, [u8; 16]> = self.accounts.into_iter().collect();
        let mut texts: HashMap<u32, String> = self.texts.into_iter().collect();
        let (mut keys, mut cards) = (keys.into_iter(), self.cards.into_iter());
        let mut numbers = self.rounds.into_iter().zip(self.flags).zip(self.seats);
        let mut bytes = self.kinds.into_iter().zip(self.key_marks).zip(self.drawn);
        let (mut round, mut key) = (0_i16, None);
        let mut entries = Vec::with_capacity(times.len());
        for (index, &time) in (0..).zip(times) {
            let ((step, flags), seat) = numbers.next()?;
            let ((kind, key_mark), drawn) = bytes.next()?;
            round = round.wrapping_add(step);
            key = match key_mark {
                0 => None,
                KEY_SAME => key,
                _ => Some(key_of(keys.next()?)),
            };
            let (start, draw) = details.next()?;
            let detail = if draw.is_empty() { start } else { format!("{start}+{draw}") };
            let drawn = drawn.checked_sub(1).map(usize::from);
            entries.push(ActionRow {
                match_id,
                at: DateTime::from_timestamp_micros(time)?,
                key_hash: key.map(|(hash, _)| hash),
                fingerprint: key.map(|(_, fingerprint)| fingerprint),
                version: i32::try_from(index).ok()?.checked_add(1)?,
                round,
                flags,
                seat: (seat != 0).then(|| seat.wrapping_sub(1)),
                kind,
                account_id: accounts.remove(&index).map(Uuid::from_bytes),
                detail: texts.remove(&index).unwrap_or(detail),
                drew: drawn.map(|count| cards.by_ref().take(count).collect()),
            });
        }
        let rounds = rounds_of(&self.ended, &self.results, &entries)?;
        Some(WholeLog { entries, rounds })
    }
}

fn key_of([a, b, c, d]: [u8; 4]) -> (i64, i32) {
    (i64::from_be_bytes([0, 0, 0, 0, 0, a, b, c]), i32::from_be_bytes([0, 0, 0, d]))
}

fn entry_of(entries: &[ActionRow], version: i32) -> Option<&ActionRow> {
    entries.get(usize::try_from(version).ok()?.checked_sub(1)?)
}

fn rounds_of(ended: &[(i16, i16, i32, i64)], results: &[u8], entries: &[ActionRow]) -> Option<Vec<RoundRow>> {
    let mut rounds = Vec::with_capacity(ended.len());
    for (&(round, starter, last_version, micros), result) in ended.iter().zip(lines(results)?) {
        let last = entry_of(entries, last_version)?.at.timestamp_micros();
        rounds.push(RoundRow {
            round,
            starter,
            last_version,
            result: (!result.is_empty()).then(|| serde_json::from_str(&result)).transpose().ok()?,
            ended_at: DateTime::from_timestamp_micros(last.wrapping_add(micros))?,
        });
    }
    (rounds.len() == ended.len()).then_some(rounds)
}

/// Appends ASCII text and a line break, with codes of cards as one byte each.
fn push_line(column: &mut Vec<u8>, text: &str) {
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let (byte, after) = match (card_byte(rest), after) {
            (Some(byte), [_, after @ ..]) => (byte, after),
            _ => (*first, after),
        };
        column.push(byte);
        rest = after;
    }
    column.push(b'\n');
}

fn card_byte(text: &[u8]) -> Option<u8> {
    let [rank, suit, ..] = text else { return None };
    let rank = RANKS.iter().position(|one| one == rank)?;
    let suit = SUITS.iter().position(|one| one == suit)?;
    u8::try_from(FIRST_CARD + rank * SUITS.len() + suit).ok()
}

/// The lines of a column made by `push_line`.
fn lines(column: &[u8]) -> Option<Vec<String>> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for &byte in column {
        match usize::from(byte).checked_sub(FIRST_CARD) {
            Some(card) => {
                line.push(char::from(*RANKS.get(card / SUITS.len())?));
                line.push(char::from(*SUITS.get(card % SUITS.len())?));
            }
            None if byte == b'\n' => lines.push(std::mem::take(&mut line)),
            None => line.push(char::from(byte)),
        }
    }
    Some(lines)
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    postcard::to_allocvec(value).map_err(cannot_pack)
}

fn compress(mut compressor: Compressor<'_>, bytes: &[u8]) -> Result<Vec<u8>, StoreError> {
    compressor.include_dictid(false).map_err(cannot_pack)?;
    compressor.compress(bytes).map_err(cannot_pack)
}

fn decompress(dictionary: &DecoderDictionary<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    Decompressor::with_prepared_dictionary(dictionary).ok()?.decompress(bytes, MOST_BYTES).ok()
}

fn unpack_1(match_id: Uuid, packed: &[u8]) -> Option<WholeLog> {
    let Packed { times: steps, keys, columns }: Packed<Vec<i64>> = postcard::from_bytes(packed).ok()?;
    let columns: Columns = postcard::from_bytes(&decompress(&DECODER_1, &columns)?).ok()?;
    let mut time = 0_i64;
    let times = steps.into_iter().map(|step| {
        time = time.wrapping_add(step);
        time
    });
    columns.log(match_id, &times.collect::<Vec<i64>>(), keys)
}

fn unpack_2(match_id: Uuid, packed: &[u8]) -> Option<WholeLog> {
    let Packed { times, keys, columns }: Packed<Vec<u8>> = postcard::from_bytes(packed).ok()?;
    let columns = decompress(&DECODER_2, &columns)?;
    let (high, columns): (HighPlanes, Columns) = postcard::from_bytes(&columns).ok()?;
    let times = high.join(&times, columns.kinds.len())?;
    columns.log(match_id, &times, keys)
}

fn cannot_pack(error: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged(format!("a log cannot be packed: {error}"))
}

#[cfg(test)]
mod tests;
