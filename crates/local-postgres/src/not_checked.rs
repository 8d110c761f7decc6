//! What a test says that cannot check something on this machine.

use std::fs::OpenOptions;
use std::io::Write;

/// Says, as `.ci/not-checked` does, that something was not checked, and why: past the test harness, which would keep it to
/// itself, and into the file that `NOT_CHECKED` names.
pub fn not_checked(what: &str, why: &str) {
    let line = format!("NOT CHECKED: {what}: {why}\n");
    // A failed write to standard error has no reader: ignore it.
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
    if let Some(file) = std::env::var_os("NOT_CHECKED").filter(|file| !file.is_empty()) {
        let _ = OpenOptions::new()
            .append(true)
            .create(true)
            .open(file)
            .map(|mut file| file.write_all(line.as_bytes()));
    }
}

/// The same, if all that is missing is a program that can be installed.
///
/// # Errors
/// With `CI=true`: there, it has to be.
pub fn not_installed(what: &str, program: &str) -> Result<(), String> {
    let why = format!("there is no {program}");
    not_checked(what, &why);
    if std::env::var("CI").is_ok_and(|ci| ci == "true") { Err(format!("{what}: {why}")) } else { Ok(()) }
}
