//! The rules on the command line: positions, records and rule sets as text (rules §12).
//!
//! Needs no database, runtime or running service; the rules themselves are in the engine. Record files are in
//! `records` and `record_files`.

mod record_files;
mod records;

use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use yaniv_engine::{
    BadRules, Code, Match, PERFT_DEPTH, Position, Preset, Rules, SeedChain, Shuffler, analyze_line,
    rules_from_json,
};
use yaniv_http::match_view::rule_set_body::RuleSetBody;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Maximum line length of `analyze`, in bytes. Bounds memory, and leaves room for a hundred thousand actions.
pub const LONGEST_LINE: usize = 1 << 20;

/// Commands that need the rules only.
#[derive(Debug, Subcommand)]
pub enum RulesCommand {
    /// Answer questions about positions: one JSON object per line in, one per line out.
    ///
    /// A line longer than 1 MiB is skipped and answered with `bad_notation`.
    Analyze {
        /// Answer instead for each position of the records in this file, with the action taken there; - is
        /// the standard input.
        #[arg(long, value_name = "FILE")]
        record: Option<PathBuf>,
    },
    /// Replay records of matches and print the first check that fails.
    ///
    /// A file holds a record as JSON, records in the compact form, or a JSON record per line; then line
    /// numbers are printed. Names, times and unknown fields prove nothing and are ignored. Of a running
    /// match, all but the running round is checked. The exit status is 0 if all records hold, 1 if one does
    /// not, 2 if one cannot be read or is no record. Rounds are counted from 1, actions from 0.
    Verify {
        /// The records; - is the standard input.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Convert records: to JSON, one per line, or to the compact form.
    ///
    /// The exit status is 2 if an input is no record. The records are not verified.
    Record {
        /// Write the compact form, `yaniv-text/1`.
        #[arg(long, conflicts_with = "json", required_unless_present = "json")]
        text: bool,
        /// Write JSON, `yaniv-record/1`.
        #[arg(long)]
        json: bool,
        /// The records, in either form; - is the standard input.
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Print a rule set with all its options as JSON; without a name, every preset by its name.
    Rules {
        /// Name of the rule set.
        #[arg(value_parser = preset_parser())]
        preset: Option<Preset>,
    },
    /// Count the sequences of legal actions from a position, by depth.
    Perft(PerftOptions),
}

/// Options of `perft`.
#[derive(Debug, Args)]
pub struct PerftOptions {
    /// Name of a preset, or a rule set as JSON.
    #[arg(long, value_name = "PRESET|JSON", default_value = "yaniv", value_parser = parse_rules)]
    pub rules: Rules,
    /// Position as JSON; without it, a fixed deal of two players.
    #[arg(long, value_name = "JSON", value_parser = parse_position)]
    pub position: Option<Box<Position>>,
    /// Length of the longest sequences.
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(PERFT_DEPTH)))]
    pub depth: u32,
}

/// Runs a rules command; returns the exit status.
///
/// # Errors
/// If the input cannot be read, the output cannot be written, or a count fails. A closed output is no error.
pub fn run(command: &RulesCommand) -> Result<ExitCode, AnyError> {
    let done = match command {
        RulesCommand::Analyze { record: None } => analyze(&mut io::stdin().lock(), &mut io::stdout().lock()),
        RulesCommand::Analyze { record: Some(file) } => return records::analyze_all(file),
        RulesCommand::Verify { files } => return records::verify_all(files),
        RulesCommand::Record { text, files, .. } => return records::convert(files, *text),
        RulesCommand::Rules { preset } => print(&rules_text(*preset)?),
        RulesCommand::Perft(options) => return perft(options),
    };
    done?;
    Ok(ExitCode::SUCCESS)
}

/// Writes text to standard output. A closed pipe, as with `head`, is no error.
///
/// # Errors
/// Any other error of writing.
pub fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    unless_gone(output.write_all(text.as_bytes()).and_then(|()| output.flush()))
}

/// Answers each line immediately, so that another program can ask interactively.
fn analyze(input: &mut impl BufRead, output: &mut impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    while let Some(length) = read_line(input, &mut line)? {
        let mut answer = match (length, str::from_utf8(&line)) {
            (Length::TooLong, _) => refusal(&format!("the line is longer than {LONGEST_LINE} bytes")),
            (Length::Whole, Err(_)) => refusal("the line is not UTF-8"),
            (Length::Whole, Ok(line)) => analyze_line(line),
        };
        answer.push('\n');
        let written = output.write_all(answer.as_bytes()).and_then(|()| output.flush());
        if written.is_err() {
            return unless_gone(written);
        }
    }
    Ok(())
}

/// Whether a line was read completely.
#[derive(Clone, Copy)]
enum Length {
    Whole,
    TooLong,
}

/// Reads the next line without its line break; `None` at the end. Skips the rest of a line that is too long.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<Option<Length>> {
    line.clear();
    let most = u64::try_from(LONGEST_LINE + 1).unwrap_or(u64::MAX);
    if input.by_ref().take(most).read_until(b'\n', line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|last| *last == b'\n').is_none() && line.len() > LONGEST_LINE {
        input.skip_until(b'\n')?;
        return Ok(Some(Length::TooLong));
    }
    Ok(Some(Length::Whole))
}

fn refusal(detail: &str) -> String {
    json!({"error": {"code": Code::BadNotation.as_str(), "detail": detail}}).to_string()
}

fn rules_text(preset: Option<Preset>) -> serde_json::Result<String> {
    let text = match preset {
        Some(preset) => serde_json::to_string_pretty(&RuleSetBody::from(&preset.options())),
        None => {
            let all = Preset::ALL.iter().map(|preset| {
                Ok((preset.as_str().to_owned(), serde_json::to_value(RuleSetBody::from(&preset.options()))?))
            });
            serde_json::to_string_pretty(&all.collect::<serde_json::Result<Map<String, Value>>>()?)
        }
    };
    Ok(text? + "\n")
}

/// Counts as `analyze` does, depth by depth, and prints each count when it is known.
fn perft(options: &PerftOptions) -> Result<ExitCode, AnyError> {
    let position = match &options.position {
        Some(position) => position,
        None => &dealt(&options.rules)?,
    };
    print("depth            count    seconds      nodes/s\n")?;
    for depth in 1..=options.depth {
        let request = json!({"rules": options.rules.options(), "position": position, "perft": depth});
        let begun = Instant::now();
        let answer: Value = serde_json::from_str(&analyze_line(&request.to_string()))?;
        let time = begun.elapsed();
        let Some(count) = answer.pointer("/perft").and_then(Value::as_u64) else {
            let reason = answer.pointer("/error/detail").and_then(Value::as_str);
            return Err(reason.unwrap_or("there is no count").into());
        };
        let rate = u128::from(count) * 1_000_000_000 / time.as_nanos().max(1);
        print(&format!("{depth:>5} {count:>16} {:>10.3} {rate:>12}\n", time.as_secs_f64()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The first deal of a match of two players, from fixed seeds.
fn dealt(rules: &Rules) -> Result<Position, BadRules> {
    let shuffler = Shuffler::new(SeedChain::new([0; 32]), "perft", &[String::new(), String::new()]);
    Ok(Match::start(rules, 2, &shuffler)?.position())
}

fn preset_parser() -> impl TypedValueParser<Value = Preset> {
    let names =
        Preset::ALL.iter().map(|preset| PossibleValue::new(preset.as_str()).help(preset.description()));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Preset>())
}

/// Only text in braces can be JSON: no preset name has them.
fn parse_rules(text: &str) -> Result<Rules, AnyError> {
    let value =
        if text.trim_start().starts_with('{') { serde_json::from_str(text)? } else { Value::from(text) };
    Ok(rules_from_json(&value)?)
}

fn parse_position(text: &str) -> serde_json::Result<Box<Position>> {
    serde_json::from_str(text)
}

fn unless_gone(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
