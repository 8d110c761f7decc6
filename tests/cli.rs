//! The rules commands, run as a program with text in and text out. The rules themselves are tested in the engine.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use yaniv::cli::LONGEST_LINE;
use yaniv_engine::{Preset, rules_from_json};

const EXAMPLES: &str = include_str!("../crates/yaniv-engine/tests/data/examples.jsonl");
const RECORD: &str = include_str!("../crates/yaniv-engine/tests/data/records/yaniv-4.json");

const TEXT: &str = include_str!("../crates/yaniv-engine/tests/data/records/yaniv-4.txt");

/// Output of the program, and its exit status.
struct Said {
    out: String,
    err: String,
    status: i32,
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    // No database: its URL leads nowhere.
    command
        .args(arguments)
        .env("DATABASE_URL", "postgres://127.0.0.1:1/none")
        .env_remove("DATABASE_URL_FILE");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn run(arguments: &[&str], input: &[u8]) -> Said {
    let mut child = start(arguments);
    let mut stdin = child.stdin.take().unwrap();
    let output = std::thread::scope(|scope| {
        // The program may exit without reading all its input.
        scope.spawn(move || stdin.write_all(input));
        child.wait_with_output().unwrap()
    });
    Said {
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
        status: output.status.code().unwrap(),
    }
}

fn analyze(input: &[u8]) -> Vec<Value> {
    let said = run(&["analyze"], input);
    assert_eq!((said.err.as_str(), said.status), ("", 0));
    said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn examples() -> Vec<Value> {
    EXAMPLES.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn example(name: &str) -> Value {
    examples().into_iter().find(|example| example["name"] == name).unwrap()
}

fn records() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/yaniv-engine/tests/data/records");
    let mut files: Vec<_> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

fn record() -> Value {
    serde_json::from_str(RECORD).unwrap()
}

fn scratch(name: &str, content: &[u8]) -> String {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, content).unwrap();
    file.into_os_string().into_string().unwrap()
}

#[test]
fn analyze_answers_every_example_of_the_specification() {
    let examples = examples();
    let input: String = examples.iter().map(|example| format!("{}\n", example["in"])).collect();
    let answers = analyze(input.as_bytes());
    assert_eq!((examples.len(), answers.len()), (72, 72));
    for (example, mut answer) in examples.into_iter().zip(answers) {
        if let Some(error) = answer.get_mut("error") {
            // The text of an error is not specified, only that there is one.
            let detail = error.as_object_mut().unwrap().remove("detail").unwrap();
            assert_ne!(detail, "", "{}", example["name"]);
        }
        assert_eq!(answer, example["out"], "{}", example["name"]);
    }
}

#[test]
fn analyze_answers_each_line_whatever_it_is() {
    let asked = example("perft, a small hand");
    let mut input = b"\n \n\xff\xfe\n\0\nnull\n[]\n\"yaniv\"\n{\"rules\":\n{}{}\n".to_vec();
    input.extend(b"[".repeat(100_000));
    input.extend(b"\n{}\n{\"rules\":\"yaniv\"}\n");
    input.extend(b" ".repeat(10_000_000));
    // The last lines end with CRLF, and without a line break.
    input.extend(format!("\n{}\r\n{}", asked["in"], asked["in"]).into_bytes());
    let answers = analyze(&input);
    let codes: Vec<_> = answers.iter().map(|answer| answer["error"]["code"].as_str()).collect();
    let mut expected = vec![Some("bad_notation"); 10];
    expected.extend([Some("bad_rules"), Some("bad_position"), Some("bad_notation"), None, None]);
    assert_eq!(codes, expected);
    assert!(answers.iter().all(|answer| answer["error"].get("at").is_none()));
    assert_eq!(answers[13], asked["out"]);
    assert_eq!(answers[14], asked["out"]);
}

#[test]
fn analyze_takes_a_line_up_to_the_bound_and_no_longer() {
    let asked = example("perft, a small hand");
    let mut line = asked["in"].to_string();
    line.extend(std::iter::repeat_n(' ', LONGEST_LINE - line.len()));
    let answers = analyze(format!("{line}\n{line} \n{line}").as_bytes());
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0], asked["out"]);
    assert_eq!(answers[1]["error"]["code"], "bad_notation");
    assert_eq!(answers[2], asked["out"]);
    let answers = analyze(format!("{line} ").as_bytes());
    assert_eq!(answers.len(), 1);
    assert_eq!(answers[0]["error"]["code"], "bad_notation");
}

#[test]
fn analyze_answers_nothing_to_nothing() {
    assert_eq!(analyze(b""), Vec::<Value>::new());
}

#[test]
fn analyze_answers_a_line_before_the_next_is_there() {
    let mut child = start(&["analyze"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for _ in 0..3 {
        stdin.write_all(b"{}\n").unwrap();
        let mut answer = String::new();
        stdout.read_line(&mut answer).unwrap();
        assert!(answer.contains("bad_rules"), "{answer}");
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn analyze_ends_quietly_when_its_output_is_closed() {
    let mut child = start(&["analyze"]);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // Writes until the program has exited.
    while stdin.write_all(b"{}\n").is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn verify_says_that_every_record_of_the_specification_holds() {
    let files: Vec<_> = records().into_iter().map(|file| file.to_str().unwrap().to_owned()).collect();
    let arguments: Vec<_> = std::iter::once("verify").chain(files.iter().map(String::as_str)).collect();
    let said = run(&arguments, b"");
    let expected: String = files.iter().map(|file| format!("{file}: holds\n")).collect();
    assert_eq!((said.out, said.err.as_str(), said.status), (expected, "", 0));
    assert_eq!(files.len(), 9);
}

#[test]
fn verify_reads_the_standard_input() {
    let said = run(&["verify", "-"], RECORD.as_bytes());
    assert_eq!((said.out.as_str(), said.err.as_str(), said.status), ("-: holds\n", "", 0));
}

#[test]
fn verify_names_the_round_and_the_action_that_do_not_hold() {
    let mut changed = record();
    let actions = changed["rounds"][1]["actions"].as_array_mut().unwrap();
    let index = actions.iter().rposition(|action| action.get("drew").is_some()).unwrap();
    let other = if actions[index]["drew"] == "3H" { "3S" } else { "3H" };
    actions[index]["drew"] = json!(other);
    let file = scratch("cli-changed-card.json", changed.to_string().as_bytes());

    let said = run(&["verify", &file, "-"], RECORD.as_bytes());

    let expected = format!("{file}: does not hold: round 2, action {index}: the card drawn\n-: holds\n");
    assert_eq!((said.out, said.err.as_str(), said.status), (expected, "", 1));
}

#[test]
fn verify_names_the_round_whose_score_does_not_hold() {
    let mut changed = record();
    let total = &mut changed["rounds"][2]["result"]["totals"][0];
    *total = json!(total.as_i64().unwrap() + 1);
    let said = run(&["verify", "-"], changed.to_string().as_bytes());
    assert!(said.out.starts_with("-: does not hold: round 3"), "{}", said.out);
    assert!(said.out.ends_with("the totals\n"), "{}", said.out);
    assert_eq!((said.err.as_str(), said.status), ("", 1));
}

/// The record during its third round, as the player of one seat may see it.
fn running(viewer: u64) -> Value {
    let mut record = record();
    record.as_object_mut().unwrap().remove("result");
    let rounds = record["rounds"].as_array_mut().unwrap();
    rounds.truncate(3);
    let round = rounds[2].as_object_mut().unwrap();
    round.remove("seed");
    round.remove("result");
    for (seat, hand) in (0..).zip(round["hands"].as_array_mut().unwrap()) {
        if seat != viewer {
            *hand = json!([]);
        }
    }
    let actions = round["actions"].as_array_mut().unwrap();
    actions.truncate(4);
    for action in actions.iter_mut().filter(|action| action["seat"] != viewer) {
        action.as_object_mut().unwrap().remove("drew");
    }
    record
}

#[test]
fn verify_takes_the_record_of_a_running_match() {
    for viewer in [0, 3, 9] {
        let said = run(&["verify", "-"], running(viewer).to_string().as_bytes());
        assert_eq!((said.out.as_str(), said.err.as_str(), said.status), ("-: holds\n", "", 0));
    }
    let mut changed = running(0);
    changed["rounds"][1]["actions"][0]["action"] = json!("give");
    let said = run(&["verify", "-"], changed.to_string().as_bytes());
    assert!(said.out.starts_with("-: does not hold: round 2, action 0: "), "{}", said.out);
    assert_eq!(said.status, 1);
}

#[test]
fn verify_takes_the_compact_form() {
    for file in records() {
        let text = file.with_extension("txt");
        let said = run(&["verify", text.to_str().unwrap()], b"");
        assert_eq!((said.out, said.status), (format!("{}: holds\n", text.display()), 0));
    }
    let changed = TEXT.replacen("dealt ", "dealt 3H", 1);
    let said = run(&["verify", "-"], changed.as_bytes());
    assert_eq!((said.out.as_str(), said.status), ("", 2));
    assert!(said.err.starts_with("-: is no record: line 10: "), "{}", said.err);
}

/// The lines of a stream of records: one record per line, some of them invalid.
fn stream() -> String {
    let line = |record: Value| record.to_string() + "\n";
    let mut changed = record();
    changed["rounds"][2]["starter"] = json!(3 - changed["rounds"][2]["starter"].as_i64().unwrap());
    [line(record()), "\n".to_owned(), line(changed), line(json!({})), line(running(0))].concat()
}

#[test]
fn verify_takes_a_stream_and_says_the_line() {
    let said = run(&["verify", "-"], stream().as_bytes());
    assert_eq!(said.out, "-:1: holds\n-:3: does not hold: round 3: the starter\n-:5: holds\n");
    assert!(said.err.starts_with("-:4: is no record: missing field `format`"), "{}", said.err);
    assert_eq!(said.status, 2);
    // Cut in the middle of a line, like an interrupted download.
    let cut = format!("{RECORD}\n{}", &RECORD[..RECORD.len() / 2]);
    let said = run(&["verify", "-"], cut.as_bytes());
    assert_eq!((said.out.as_str(), said.status), ("-:1: holds\n", 2));
    assert!(said.err.starts_with("-:2: is no record: "), "{}", said.err);
    let several = TEXT.repeat(3);
    let said = run(&["verify", "-"], several.as_bytes());
    let lines = TEXT.lines().count();
    let expected = format!("-:1: holds\n-:{}: holds\n-:{}: holds\n", lines + 1, 2 * lines + 1);
    assert_eq!((said.out, said.status), (expected, 0));
    let pretty = serde_json::to_string_pretty(&record()).unwrap();
    assert_eq!(run(&["verify", "-"], pretty.as_bytes()).out, "-: holds\n");
}

#[test]
fn records_are_written_in_either_form() {
    let said = run(&["record", "--text", "-"], RECORD.as_bytes());
    assert_eq!((said.out.as_str(), said.err.as_str(), said.status), (TEXT, "", 0));
    let said = run(&["record", "--json", "-"], TEXT.repeat(2).as_bytes());
    let lines: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines, [record(), record()]);
    let mut other = record();
    other["format"] = json!("yaniv-record/2");
    let said = run(&["record", "--text", "-"], other.to_string().as_bytes());
    assert_eq!((said.out.as_str(), said.err.as_str(), said.status), ("", "-: is of another format\n", 2));
    assert_eq!(run(&["record", "-"], b"").status, 2);
}

#[test]
fn analyze_answers_for_each_position_of_a_record() {
    let said = run(&["analyze", "--record", "-"], TEXT.as_bytes());
    assert_eq!((said.err.as_str(), said.status), ("", 0));
    let answers: Vec<Value> = said.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let record = record();
    let rounds = record["rounds"].as_array().unwrap().iter();
    let actions = rounds.flat_map(|round| round["actions"].as_array().unwrap());
    let played: Vec<&Value> = actions.map(|action| &action["action"]).collect();
    assert_eq!(answers.iter().map(|answer| &answer["record"]["played"]).collect::<Vec<_>>(), played);
    // The answer is that of `analyze` for the position.
    let asked = json!({"rules": record["rules"], "position": answers[7]["position"]});
    let mut without = answers[7].clone();
    without.as_object_mut().unwrap().remove("record");
    assert_eq!(analyze(asked.to_string().as_bytes()), [without]);
    let said = run(&["analyze", "--record", "-"], stream().lines().nth(2).unwrap().as_bytes());
    assert_eq!((said.out.as_str(), said.status), ("", 1));
    assert_eq!(said.err, "-: does not hold: round 3: the starter\n");
}

#[test]
fn verify_says_why_something_is_no_record() {
    let mut changed = record();
    changed["rounds"][4]["upcard"] = json!("1X");
    let (changed, twice) = (changed.to_string(), RECORD.repeat(2));
    let cases: [(&[u8], &str); 5] = [
        (b"", "-: is no record: EOF"),
        (b"\xff", "-: is no record: "),
        (b"{}", "-: is no record: missing field"),
        (twice.as_bytes(), "-: is no record: trailing characters"),
        (changed.as_bytes(), "-: is no record: rounds[4].upcard: "),
    ];
    for (input, reason) in cases {
        let said = run(&["verify", "-"], input);
        assert!(said.err.starts_with(reason), "{} is not {reason}", said.err);
        assert_eq!((said.out.as_str(), said.status), ("", 2));
    }
}

#[test]
fn verify_goes_on_after_a_file_that_cannot_be_read() {
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli-no-such-file.json");
    let missing = missing.to_str().unwrap();
    let directory = env!("CARGO_TARGET_TMPDIR");
    let mut changed = record();
    changed["commitment"] = json!("0".repeat(64));

    let said = run(&["verify", missing, "-", directory], changed.to_string().as_bytes());

    assert!(said.out.starts_with("-: does not hold: round 1"), "{}", said.out);
    let reasons: Vec<_> = said.err.lines().collect();
    assert_eq!(reasons.len(), 2);
    assert!(reasons[0].starts_with(&format!("{missing}: cannot be read: ")), "{}", said.err);
    assert!(reasons[1].starts_with(&format!("{directory}: cannot be read: ")), "{}", said.err);
    assert_eq!(said.status, 2);
}

#[test]
fn verify_wants_a_file() {
    assert_eq!(run(&["verify"], b"").status, 2);
}

#[test]
fn rules_prints_a_rule_set_that_reads_back_as_the_preset() {
    let all = run(&["rules"], b"");
    let all: Value = serde_json::from_str(&all.out).unwrap();
    let names: Vec<_> = all.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, Preset::ALL.iter().map(|preset| preset.as_str()).collect::<Vec<_>>());
    for preset in Preset::ALL {
        let said = run(&["rules", preset.as_str()], b"");
        assert_eq!((said.err.as_str(), said.status), ("", 0));
        let printed: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(rules_from_json(&printed).unwrap().options(), &preset.options());
        assert_eq!(printed, all[preset.as_str()]);
    }
}

#[test]
fn rules_names_the_presets_when_there_is_no_such_one() {
    let said = run(&["rules", "poker"], b"");
    assert_eq!((said.out.as_str(), said.status), ("", 2));
    assert!(Preset::ALL.iter().all(|preset| said.err.contains(preset.as_str())), "{}", said.err);
}

/// Depths and counts that `perft` printed below its heading.
fn counts(said: &Said) -> Vec<(u64, u64)> {
    let lines = said.out.lines().skip(1);
    let columns = lines.map(|line| line.split_whitespace().collect::<Vec<_>>());
    columns.map(|columns| (columns[0].parse().unwrap(), columns[1].parse().unwrap())).collect()
}

#[test]
fn perft_counts_as_the_examples_do() {
    for name in ["perft, a small hand", "perft, Kluft", "perft, four jokers and two packs"] {
        let Value::Object(asked) = example(name)["in"].take() else { panic!("{name}") };
        let depth = asked["perft"].as_u64().unwrap();
        let rules = asked["rules"].as_str().map_or_else(|| asked["rules"].to_string(), str::to_owned);
        let position = asked["position"].to_string();
        let said = run(&["perft", "--rules", &rules, "--position", &position, &depth.to_string()], b"");
        assert_eq!((said.err.as_str(), said.status), ("", 0), "{name}");
        let counts = counts(&said);
        assert_eq!(
            counts.iter().map(|(depth, _)| *depth).collect::<Vec<_>>(),
            (1..=depth).collect::<Vec<_>>()
        );
        let count = example(name)["out"]["perft"].as_u64().unwrap();
        assert_eq!(counts.last(), Some(&(depth, count)), "{name}");
    }
}

#[test]
fn perft_has_a_position_of_its_own_that_never_changes() {
    let said = run(&["perft", "3"], b"");
    assert_eq!((said.err.as_str(), said.status), ("", 0));
    assert_eq!(counts(&said), [(1, 12), (2, 156), (3, 1924)]);
}

#[test]
fn perft_says_what_is_wrong_with_its_arguments() {
    let cases: [(&[&str], i32, &str); 6] = [
        (&["perft"], 2, "DEPTH"),
        (&["perft", "0"], 2, "0 is not in 1..=64"),
        (&["perft", "--rules", "poker", "1"], 2, "poker"),
        (&["perft", "--rules", "{\"jokers\":9}", "1"], 2, "jokers"),
        (&["perft", "--position", "{", "1"], 2, "EOF"),
        (&["perft", "64"], 1, "too deep"),
    ];
    for (arguments, status, reason) in cases {
        let said = run(arguments, b"");
        assert!(said.err.contains(reason), "{} is not {reason}", said.err);
        assert_eq!(said.status, status, "{}", said.err);
    }
}
