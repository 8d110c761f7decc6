//! The compact form of records: golden records stay valid in both forms, conversions are lossless, and invalid texts
//! are refused with the right line.

use proptest::prelude::*;
use serde_json::Value;
use yaniv_engine::{Record, RecordBuilder, RecordPlayer, Seat, SeedChain, record_positions, verify};

use crate::support::{Choose, Dice, random_legal, random_rules};

macro_rules! golden {
    ($($name:literal),* $(,)?) => {
        [$((
            $name,
            include_str!(concat!("../data/records/", $name, ".json")),
            include_str!(concat!("../data/records/", $name, ".txt")),
        )),*]
    };
}

/// Records of every version of the format, in both forms. They are never changed or removed.
const GOLDEN: [(&str, &str, &str); 9] = golden![
    "dhumbal-3",
    "everything-3",
    "jhyap-3",
    "kluft-4",
    "speedy-2",
    "yaniv-2",
    "yaniv-4",
    "service-2",
    "running-2",
];

/// Names and texts that are hard to write on a line.
const HARD: [&str; 12] = [
    "",
    "-",
    " ",
    "two words",
    "a \"quote\" and a \\",
    "line\nbreak",
    "\r\n\t\u{0}\u{1b}",
    "Zoë 🂡",
    "\u{2028}\u{85}",
    "player 1 mallory",
    "0:call=4H@+5!bot",
    "\\u0022",
];

fn read(name: &str, text: &str) -> Record {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn golden_records_hold_in_both_forms() {
    for (name, json, text) in GOLDEN {
        let record = read(name, json);
        assert_eq!(verify(&record), Ok(()), "{name}");
        let from_text = Record::from_text(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(from_text, record, "{name}");
        assert_eq!(record.to_text(), text, "{name}");
        let printed = serde_json::to_value(&from_text).expect(name);
        assert_eq!(printed, serde_json::from_str::<Value>(json).expect(name), "{name}");
        assert!(text.len() * 5 < json.len() * 2, "{name}: {} bytes for {}", text.len(), json.len());
    }
}

#[test]
fn what_did_an_action_is_kept_and_proves_nothing() {
    let (_, json, text) = GOLDEN[7];
    let mut record = read("service-2", json);
    let automatic =
        record.rounds.iter().flat_map(|round| &round.actions).filter_map(|one| one.automatic.clone());
    let mut words: Vec<String> = automatic.collect();
    words.sort();
    words.dedup();
    assert_eq!(words, ["absent", "bot", "standing_order"]);
    assert!(text.contains("!absent") && text.contains("@+90000"));
    for action in record.rounds.iter_mut().flat_map(|round| &mut round.actions) {
        action.automatic = Some("a word that is not known yet".to_owned());
    }
    assert_eq!(verify(&record), Ok(()));
}

/// A match between players with hard names, played for some actions, or to its end.
fn played(seed: u64) -> (RecordBuilder, Dice) {
    let mut dice = Dice(seed);
    let (rules, players) = random_rules(&mut dice);
    let players = (0..players).map(|seat| RecordPlayer {
        seat: Seat::new(seat),
        name: dice.pick(&HARD).to_owned(),
        client_seed: dice.pick(&["", "seed", "with space", "\"", "\\n", "-"]).to_owned(),
    });
    let players: Vec<RecordPlayer> = players.collect();
    let chain = SeedChain::new([u8::try_from(seed % 251).expect("small"); 32]);
    let id = dice.pick(&["0193aa00-0000-7000-8000-000000000001", "a b", "\"", "é"]);
    let mut builder = RecordBuilder::new(&rules, id, players, chain).expect("they can play");
    let (most, mut at) =
        (dice.below(400), 1_700_000_000 + i64::try_from(dice.below(1_000_000)).expect("small"));
    for _ in 0..most {
        if dice.one_in(5) {
            let dealer = builder.state().dealer();
            // Often it is too late.
            let _ = builder.gift(dealer, dice.pick(&["good luck", "\"", "ü –", "-", "!"]));
        }
        let Some((seat, action)) = random_legal(builder.state(), &mut dice) else { break };
        at += i64::try_from(dice.below(200_000)).expect("small") - 1000;
        let time = match dice.below(8) {
            0 => None,
            1 => Some(dice.pick(&HARD).to_owned()),
            2 => Some(format!("2026-11-21T08:00:0{}+01:00", at % 10)),
            _ => Some(format!(
                "20{:02}-{:02}-{:02}T08:00:{:02}Z",
                at / 7 % 100,
                at % 12 + 1,
                at % 31 + 1,
                at % 60
            )),
        };
        let automatic =
            dice.one_in(3).then(|| dice.pick(&["absent", "bot", "standing_order", "two words", ""]));
        builder.push_automatic(seat, &action, time, automatic.map(str::to_owned)).expect("it is legal");
    }
    (builder, dice)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_played_comes_back_from_both_forms(seed in any::<u64>()) {
        let (builder, mut dice) = played(seed);
        let viewer = dice.pick(&[None, Some(Seat::new(0)), Some(Seat::new(1))]);
        let record = builder.finish(viewer);
        let text = record.to_text();
        let lines = text.lines().count();
        assert!(lines <= 5 + record.players.len() + 5 * record.rounds.len(), "{text}");
        let back = Record::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(back, record);
        assert_eq!(back.to_text(), text);
        let json = serde_json::to_string(&record).expect("it can be printed");
        assert_eq!(read("json", &json), record);
        // With Windows line breaks, as files may get in transfer.
        assert_eq!(Record::from_text(&text.replace('\n', "\r\n")).as_ref(), Ok(&record));
    }

    #[test]
    fn no_text_makes_it_stumble(seed in any::<u64>(), cut in any::<prop::sample::Index>(), other in any::<char>()) {
        let (builder, _) = played(seed);
        let text = builder.finish(None).to_text();
        let places: Vec<usize> = text.char_indices().map(|(place, _)| place).collect();
        let place = *cut.get(&places);
        let end = text[place..].chars().next().map_or(place, |letter| place + letter.len_utf8());
        for changed in [text[..place].to_owned(), format!("{}{other}{}", &text[..place], &text[end..])] {
            if let Ok(record) = Record::from_text(&changed) {
                assert_eq!(Record::from_text(&record.to_text()), Ok(record));
            }
        }
    }
}

#[test]
fn what_is_no_record_is_refused_with_its_line() {
    let (_, _, text) = GOLDEN[5];
    let lines: Vec<&str> = text.lines().collect();
    let first = |word: &str| lines.iter().position(|line| line.starts_with(word)).expect(word);
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        lines.join("\n")
    };
    let played = lines[first("played")];
    let cases = [
        (String::new(), 1, "yaniv-text/1"),
        (with(0, "yaniv-text/2"), 1, "yaniv-text/1"),
        (with(1, "match"), 2, "missing"),
        (with(1, "match a b"), 2, "more"),
        (with(1, "match \"a"), 2, "JSON string"),
        (with(2, "rules nonsense"), 3, "preset"),
        (with(2, "rules yaniv {\"preset\":\"kluft\"}"), 3, "two presets"),
        (with(2, "rules yaniv {\"hand_size\":\"many\"}"), 3, "hand_size"),
        (with(2, "rules yaniv []"), 3, "JSON object"),
        (with(3, "commitment 00"), 4, "commitment"),
        (with(4, "player 300 p0"), 5, "seat"),
        (with(4, "player 0 "), 5, "text"),
        (with(first("round"), "round 1 0"), first("round") + 1, "missing"),
        (with(first("round"), "round 1 0 xyz"), first("round") + 1, "seed"),
        (with(first("dealt"), "dealt 7S QH2"), first("dealt") + 1, "card"),
        (with(first("dealt"), "dealt 7S  QH"), first("dealt") + 1, "hand"),
        (with(first("played"), &format!("{played} ")), first("played") + 1, "seat"),
        (with(first("played"), &format!("{played} 1:call@+5")), first("played") + 1, "no time before"),
        (with(first("played"), &format!("{played} 1:call=1H")), first("played") + 1, "\"(\""),
        (with(first("scored"), "scored 0 1,2 3 4 - 9x"), first("scored") + 1, "seats"),
        (with(lines.len() - 1, "result 7x 1,2"), lines.len(), "winner"),
        (format!("{text}result 0 1,2\n"), lines.len() + 1, "not expected"),
        (format!("{text}\n# the end"), lines.len() + 2, "not expected"),
    ];
    for (changed, line, what) in cases {
        let refused = Record::from_text(&changed).expect_err(what);
        assert_eq!(refused.line, line, "{refused}");
        assert!(refused.to_string().contains(what), "{what}: {refused}");
    }
    let after_it = format!("{text}\n\n");
    assert!(Record::from_text(&after_it).is_ok(), "empty lines may follow");
}

#[test]
fn a_preset_and_what_differs_from_it_is_all_that_is_written_of_the_rules() {
    for (name, _, text) in GOLDEN {
        let line = text.lines().nth(2).expect(name);
        assert!(line.starts_with("rules "), "{line}");
        assert_eq!(line.contains('{'), name == "everything-3", "{name}: {line}");
    }
}

#[test]
fn the_positions_of_a_record_are_those_before_its_actions() {
    for (name, json, _) in GOLDEN {
        let record = read(name, json);
        let positions = record_positions(&record).expect(name);
        let over = record.rounds.iter().filter(|round| round.seed.is_some());
        let actions: Vec<&str> =
            over.flat_map(|round| &round.actions).map(|action| action.action.as_str()).collect();
        assert_eq!(positions.iter().map(|one| one.played.as_str()).collect::<Vec<_>>(), actions, "{name}");
        assert_eq!((positions[0].round, positions[0].action), (1, 0));
    }
    let mut record = read(GOLDEN[5].0, GOLDEN[5].1);
    record.rounds[1].starter = Seat::new(7);
    assert_eq!(record_positions(&record).expect_err("it does not hold").round, Some(2));
}
