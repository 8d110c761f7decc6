//! The API from outside: real HTTP, a real PostgreSQL, a database of its own for each test. One file a promise.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests say what they expect"
)]

mod support;

mod accounts;
mod bad_input;
mod bots;
mod codes;
mod concurrency;
mod deletion;
mod documents;
mod export;
mod faults;
mod forged;
mod guests;
mod history;
mod limits;
mod lobby;
mod lost_commits;
mod matches;
mod open_matches;
mod pairing;
mod people;
mod phases;
mod privacy;
mod profile;
mod retries;
mod schema;
mod sessions;
mod tokens;
