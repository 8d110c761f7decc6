//! Runs the README's tour, as written, in a shell against the program.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use local_postgres::TestDatabase;

/// The shell blocks between the tour's marker and the next heading.
fn tour() -> Vec<String> {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let tour = readme.split("<!-- tour").nth(1).unwrap().split("\n## ").next().unwrap();
    tour.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_tour_works_as_it_is_written() {
    let blocks = tour();
    assert_eq!(blocks.len(), 2, "the tour, then one play");
    let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
    let mut service = Command::new(env!("CARGO_BIN_EXE_yaniv"))
        .env("DATABASE_URL", database.url())
        .env("YANIV_LISTEN", "127.0.0.1:0")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut log = BufReader::new(service.stderr.take().unwrap());
    while !said.contains("listening on ") {
        assert_ne!(log.read_line(&mut said).unwrap(), 0, "{said}");
    }
    let address = said.split("listening on ").nth(1).unwrap().split(',').next().unwrap();
    let script = format!("set -eu\n{}", blocks.concat()).replace("http://127.0.0.1:8080", address);
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
    service.kill().unwrap();
    service.wait().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let complaints = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{answers}\n{complaints}");
    assert_eq!(answers.matches("\"status\":\"waiting\"").count(), 2, "by the code, and joined: {answers}");
    assert_eq!(
        answers.matches("\"status\":\"running\"").count(),
        4,
        "started, both views, and played: {answers}"
    );
    assert_eq!(answers.matches("\"type\":\"play\"").count(), 1, "the play was accepted: {answers}");
}
