//! The API from outside: real HTTP, a real PostgreSQL, a separate database for each test. One file per promise.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests say what they expect"
)]

mod support;

mod absence;
mod access;
mod account_events;
mod account_growth;
mod accounts;
mod answer_sizes;
mod archive;
mod bad_input;
mod blocked_words;
mod bots;
mod bounds;
mod calendars;
mod challenge_blocks;
mod challenge_races;
mod challenges;
mod channels;
mod clocks;
mod codes;
mod concurrency;
mod connections;
mod cors;
mod deletion;
mod display_names;
mod documents;
mod emails;
mod events;
mod export;
mod failover;
mod faults;
mod forged;
mod forms;
mod fsck;
mod full_tables;
mod guests;
mod head;
mod headers;
mod history;
mod home;
mod house_bots;
mod latency;
mod leaderboards;
mod leaks;
mod limits;
mod links;
mod lobby;
mod lock_out;
mod lost_commits;
mod marks;
mod matches;
mod migrations;
mod moderation;
mod my_turns;
mod notices;
mod notification_texts;
mod oauth;
mod open_matches;
mod orders;
mod orders_decided;
mod outward;
mod pairing;
mod passkeys;
mod past_matches;
mod people;
mod phases;
mod pipelined;
mod previews;
mod privacy;
mod profile;
mod proxies;
mod public_matches;
mod push;
mod rated_matches;
mod ratings;
mod records;
#[path = "../../crates/yaniv-trials/src/history/recount.rs"]
mod recount;
mod rematches;
mod replays;
mod retries;
mod rule_forms;
mod schema;
mod sessions;
mod sign_up;
mod statement_budgets;
mod statistics;
mod statistics_kept;
mod story;
mod suspension;
mod tokens;
mod transfers;
mod upkeep;
mod web_client;
