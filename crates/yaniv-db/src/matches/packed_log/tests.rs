//! Packed logs: golden rows, any log is the same after packing, and damaged bytes are refused.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::{FORMAT, WholeLog, short_key};
use crate::matches::log::ActionRow;
use crate::matches::rounds::RoundRow;

const MATCH: Uuid = Uuid::from_u128(0x0193_aa00_0000_7000_8000_0000_0000_0001);
/// A log packed by each format when that was new. Old rows have to stay readable: these bytes never change.
const GOLDEN: [(i16, &[u8]); 2] =
    [(1, include_bytes!("format_1.golden")), (2, include_bytes!("format_2.golden"))];
/// The same log with times in milliseconds, packed by format 2.
const GOLDEN_MILLISECONDS: &[u8] = include_bytes!("format_2.milliseconds.golden");

fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap()
}

/// An entry in play, numbered later.
fn entry(at: i64, kind: u8, seat: Option<i16>, detail: &str) -> ActionRow {
    ActionRow {
        match_id: MATCH,
        at: time(1_793_000_000_000_000 + at),
        key_hash: None,
        fingerprint: None,
        version: 0,
        round: 1,
        flags: 0,
        seat,
        kind,
        account_id: None,
        detail: detail.to_owned(),
        drew: None,
    }
}

fn whole(mut entries: Vec<ActionRow>, rounds: Vec<RoundRow>) -> WholeLog {
    (1..).zip(&mut entries).for_each(|(version, entry)| entry.version = version);
    WholeLog { entries, rounds }
}

/// A log with an entry of each kind, and details that do not fit in the columns.
fn sample() -> WholeLog {
    let account = Some(Uuid::from_u128(7));
    let key = |entry: ActionRow, hash, fingerprint| ActionRow {
        key_hash: Some(hash),
        fingerprint: Some(fingerprint),
        ..entry
    };
    let lobby =
        |at, kind, detail| ActionRow { round: 0, account_id: account, ..entry(at, kind, None, detail) };
    let entries = vec![
        key(lobby(0, b'j', "blue"), 0x1234_5678_9abc_def0, -5),
        lobby(500_000, b'j', "seven\nlines + \u{2660}"),
        lobby(900_000, b's', r#"{"00000000-0000-0000-0000-000000000007":{"time_zone":"Asia/Kathmandu"}}"#),
        key(ActionRow { drew: Some(vec![51]), ..entry(1_000_000, b'a', Some(0), "4D5DXR7D+#") }, -1, 1 << 30),
        key(entry(1_000_000, b'a', Some(0), "slam"), -1, 1 << 30),
        // The clock was set back.
        entry(999_999, b'a', Some(1), "TS+7H"),
        ActionRow { flags: 2 | 3 << 8, ..entry(4_000_000_000, b'a', Some(1), "call:yaniv") },
        ActionRow { round: 2, drew: Some(Vec::new()), ..entry(4_000_000_007, b'n', Some(0), "+") },
        ActionRow { round: 2, flags: 8 | 4, ..entry(4_100_000_000, b'a', Some(0), "resign") },
    ];
    let result = json!({"caller": 1, "hands": [["AS"], ["2H", "XB"]], "points": [1, 2], "call_right": true});
    let rounds = vec![
        RoundRow {
            round: 1,
            starter: 0,
            last_version: 7,
            result: Some(result),
            ended_at: time(1_793_000_000_000_000 + 4_000_000_000),
        },
        RoundRow {
            round: 2,
            starter: 1,
            last_version: 9,
            result: None,
            ended_at: time(1_793_000_000_000_000 + 4_100_000_003),
        },
    ];
    whole(entries, rounds)
}

/// The log with times rounded down to the millisecond.
fn in_milliseconds(mut log: WholeLog) -> WholeLog {
    for entry in &mut log.entries {
        entry.at = entry.at.duration_trunc(TimeDelta::milliseconds(1)).unwrap();
    }
    log
}

#[test]
fn a_log_of_an_old_format_is_read_as_it_was() {
    // For a new format: `std::fs::write("format_3.golden", sample().pack().unwrap())`, once.
    for (format, golden) in GOLDEN {
        let log = WholeLog::unpack(MATCH, format, golden).unwrap();
        assert_eq!(log, sample().with_short_keys(), "format {format}");
        assert_eq!(log.entries[0].key_hash.zip(log.entries[0].fingerprint), Some((0x00bc_def0, 0xfb)));
        assert_eq!(log.entries[4].key_hash, Some(0x00ff_ffff));
    }
    assert_eq!(GOLDEN.last().unwrap().0, FORMAT);
    let log = WholeLog::unpack(MATCH, 2, GOLDEN_MILLISECONDS).unwrap();
    assert_eq!(log, in_milliseconds(sample()).with_short_keys());
}

#[test]
fn an_unknown_format_and_other_bytes_are_refused() {
    let packed = sample().pack().unwrap();
    assert!(WholeLog::unpack(MATCH, FORMAT + 1, &packed).is_err());
    assert!(sample().pack_as(FORMAT + 1).is_err());
    assert!(WholeLog::unpack(MATCH, FORMAT, &[]).is_err());
    // Whole rows have a checksum; this must not panic either.
    for end in 0..packed.len() {
        assert!(WholeLog::unpack(MATCH, FORMAT, &packed[..end]).is_err(), "{end}");
    }
}

#[test]
fn what_the_format_cannot_hold_is_refused() {
    let mut gap = sample();
    gap.entries[3].version = 5;
    let mut other = sample();
    other.entries[2].match_id = Uuid::from_u128(8);
    let mut many = sample();
    many.entries[3].drew = Some(vec![1; 255]);
    let mut beyond = sample();
    beyond.rounds[0].last_version = 10;
    for log in [gap, other, many, beyond] {
        assert!(log.pack().is_err());
    }
}

fn entries() -> impl Strategy<Value = ActionRow> {
    let numbers = (any::<i32>(), any::<i16>(), any::<i16>(), option::of(0..10_i16), any::<u8>());
    let key = option::of((any::<i64>(), any::<i32>()));
    let account = option::of(any::<u128>().prop_map(Uuid::from_u128));
    let detail =
        prop_oneof!["([2-9TJQKA][CDHS]){1,5}\\+([2-9TJQKA][CDHS]|#|-)?", "call(:[a-z]{1,16})?", ".{0,40}"];
    let drew = option::of(vec(any::<u8>(), 0..20));
    (numbers, key, account, detail, drew).prop_map(|(numbers, key, account_id, detail, drew)| {
        let (at, round, flags, seat, kind) = numbers;
        ActionRow {
            key_hash: key.map(|(hash, _)| hash),
            fingerprint: key.map(|(_, fingerprint)| fingerprint),
            round,
            flags,
            account_id,
            drew,
            ..entry(at.into(), kind, seat, &detail)
        }
    })
}

proptest! {
    #[test]
    fn any_log_is_the_same_after_packing(
        entries in vec(entries(), 1..60), same_keys in any::<bool>(), fine in any::<bool>(), format in 1..=FORMAT
    ) {
        let mut log = whole(entries, Vec::new());
        if !fine {
            log = in_milliseconds(log);
        }
        if same_keys && let Some(key) = log.entries.first().map(|entry| (entry.key_hash, entry.fingerprint)) {
            log.entries.iter_mut().for_each(|entry| (entry.key_hash, entry.fingerprint) = key);
        }
        let packed = log.pack_as(format).unwrap();
        prop_assert_eq!(WholeLog::unpack(MATCH, format, &packed).unwrap(), log.with_short_keys());
        for (entry, short) in log.entries.iter().zip(log.with_short_keys().entries) {
            prop_assert_eq!(entry.key_hash.zip(entry.fingerprint).map(short_key), short.key_hash.zip(short.fingerprint));
        }
    }

    #[test]
    fn changed_bytes_never_panic(place in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut packed = sample().pack().unwrap();
        let place = place.index(packed.len());
        packed[place] = byte;
        let _ = WholeLog::unpack(MATCH, FORMAT, &packed);
    }
}
