//! Runs the README's tour, as written, in a shell against the program.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

mod program;

use std::process::Command;

use local_postgres::TestDatabase;

use program::Program;

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
    let service = Program::start(database.url(), &[]);
    let script = format!("set -eu\n{}", blocks.concat()).replace("127.0.0.1:8080", service.address());
    let output = Command::new("sh").args(["-c", &script]).output().unwrap();
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
