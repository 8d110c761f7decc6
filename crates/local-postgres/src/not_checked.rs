//! Reports of tests that cannot check something on this machine.

use std::fs::OpenOptions;
use std::io::Write;

/// Reports that something was not checked, and why, in the format of `.ci/not-checked`: to standard error, bypassing
/// the test harness's capture, and to the file in `NOT_CHECKED`.
pub fn not_checked(what: &str, why: &str) {
    let line = format!("NOT CHECKED: {what}: {why}\n");
    // There is nowhere to report a failed write to standard error.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("NOT_CHECKED").filter(|file| !file.is_empty()) {
        let _ = OpenOptions::new()
            .append(true)
            .create(true)
            .open(file)
            .map(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The same, if only a program is missing that can be installed.
///
/// # Errors
/// With `CI=true`, where it must be installed.
pub fn not_installed(what: &str, program: &str) -> Result<(), String> {
    let why = format!("there is no {program}");
    not_checked(what, &why);
    if std::env::var("CI").is_ok_and(|ci| ci == "true") { Err(format!("{what}: {why}")) } else { Ok(()) }
}
