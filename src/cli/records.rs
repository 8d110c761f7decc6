//! Record commands: verify, convert, analyze.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::json;
use yaniv_engine::{Record, analyze_line, record_positions, verify};

use super::record_files::RecordFile;
use super::{AnyError, print};

/// Prints for each record whether it holds.
///
/// # Errors
/// If the output cannot be written.
pub(super) fn verify_all(files: &[PathBuf]) -> Result<ExitCode, AnyError> {
    for_each(files, |name, record| match verify(&record) {
        Ok(()) => {
            print(&format!("{name}: holds\n"))?;
            Ok(0)
        }
        Err(found) => {
            print(&format!("{name}: does not hold: {found}\n"))?;
            Ok(1)
        }
    })
}

/// Converts records to a format.
///
/// # Errors
/// If the output cannot be written.
pub(super) fn convert(files: &[PathBuf], text: bool) -> Result<ExitCode, AnyError> {
    for_each(files, |name, record| {
        if record.format != Record::FORMAT {
            return Ok(refuse(name, "is of another format"));
        }
        print(&if text { record.to_text() } else { serde_json::to_string(&record)? + "\n" })?;
        Ok(0)
    })
}

/// Prints, for each position of the records, the answer of `analyze` and the action taken.
///
/// # Errors
/// If the output cannot be written.
pub(super) fn analyze_all(file: &Path) -> Result<ExitCode, AnyError> {
    for_each(&[file.to_owned()], |name, record| {
        let positions = match record_positions(&record) {
            Ok(positions) => positions,
            Err(found) => {
                refuse(name, &format!("does not hold: {found}"));
                return Ok(1);
            }
        };
        for at in positions {
            let place = json!({"round": at.round, "action": at.action, "seat": at.seat, "played": at.played});
            let answer = analyze_line(&json!({"rules": record.rules, "position": at.position}).to_string());
            let rest = answer.strip_prefix('{').unwrap_or(&answer);
            print(&format!("{{\"record\":{place},{rest}\n"))?;
        }
        Ok(0)
    })
}

/// Runs `work` on each record of the files. Returns the greatest result as exit status, or 2 if an input is
/// no record.
fn for_each(
    files: &[PathBuf],
    mut done: impl FnMut(&str, Record) -> Result<u8, AnyError>,
) -> Result<ExitCode, AnyError> {
    let mut status = 0;
    for path in files {
        let file = path.display().to_string();
        let mut records = match RecordFile::open(path) {
            Ok(records) => records,
            Err(reason) => {
                status = refuse(&file, &reason);
                continue;
            }
        };
        loop {
            let found = match records.next() {
                Ok(Some(found)) => found,
                Ok(None) => break,
                Err(reason) => {
                    status = refuse(&file, &reason);
                    break;
                }
            };
            let name = found.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
            status = match found.record {
                Ok(record) => status.max(done(&name, record)?),
                Err(reason) => refuse(&name, &reason),
            };
        }
    }
    Ok(ExitCode::from(status))
}

/// Prints the error of a file and returns the exit status. If printing fails, the status still reports the
/// error.
fn refuse(name: &str, reason: &str) -> u8 {
    let _ = writeln!(io::stderr(), "{name}: {reason}");
    2
}
