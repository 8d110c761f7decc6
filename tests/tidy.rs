//! Checks of the house style: layers, rooms, file headers, file lengths, and two files that must agree.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

use std::path::{Path, PathBuf};

fn files(directory: &str, ending: &str) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(directory)];
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.to_string_lossy().ends_with(ending) {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found.retain(|(path, _)| !path.components().any(|part| part.as_os_str() == "target"));
    found
}

fn rust_files() -> Vec<(PathBuf, String)> {
    ["src", "crates", "tests"].iter().flat_map(|directory| files(directory, ".rs")).collect()
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == "tests")
}

#[test]
fn every_file_says_what_lives_in_it() {
    for (path, text) in rust_files() {
        assert!(text.starts_with("//!"), "{} does not begin with //!", path.display());
    }
}

#[test]
fn files_are_short() {
    for (path, text) in rust_files() {
        let most = if is_test(&path) { 700 } else { 500 };
        let lines = text.lines().count();
        assert!(lines <= most, "{} has {lines} lines, {most} are the most", path.display());
    }
}

/// Forbidden dependencies of each crate: a layer must not know what is above or beside it.
const NOT_BELOW: [(&str, &[&str]); 8] = [
    ("yaniv-model", &["yaniv-", "tokio", "diesel", "actix"]),
    ("yaniv-match", &["yaniv-db", "yaniv-app", "yaniv-http", "tokio", "diesel", "actix"]),
    (
        "yaniv-db",
        &["yaniv-engine", "yaniv-match", "yaniv-bot", "yaniv-clock", "yaniv-app", "yaniv-http", "actix"],
    ),
    ("yaniv-auth", &["yaniv-db", "yaniv-app", "yaniv-http", "diesel", "actix"]),
    ("yaniv-outbound", &["yaniv-", "diesel", "actix"]),
    ("yaniv-texts", &["yaniv-", "tokio", "diesel", "actix"]),
    ("yaniv-app", &["yaniv-http", "diesel", "tokio-postgres", "actix", "utoipa", "clap"]),
    ("yaniv-http", &["yaniv-db", "yaniv-outbound", "yaniv-texts", "diesel", "tokio-postgres", "clap"]),
];

/// The dependencies in a manifest.
fn dependencies(manifest: &str) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).unwrap();
    let table = text.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap().to_owned();
    let names = table.lines().filter(|line| !line.starts_with('#'));
    let names = names.filter_map(|line| line.split([' ', '.', '=']).next()).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[test]
fn manifests_point_one_way() {
    for (name, forbidden) in NOT_BELOW {
        for dependency in dependencies(&format!("crates/{name}/Cargo.toml")) {
            let wrong = forbidden.iter().find(|word| dependency.starts_with(**word));
            assert_eq!(wrong, None, "{name} must not depend on {dependency}");
        }
    }
    let engine = dependencies("crates/yaniv-engine/Cargo.toml");
    assert_eq!(engine, ["hmac", "sha2", "serde", "serde_json"]);
}

/// What Cargo cannot check: pure crates get the time as an argument, and do no I/O.
#[test]
fn pure_crates_reach_out_to_nothing() {
    const REACH: [&str; 7] =
        ["std::time", "std::fs", "std::net", "std::env", "std::process", "std::io", "::now("];
    // A bot knows only what its seat sees.
    let pure: [(&str, &[&str]); 6] = [
        ("engine", &[]),
        ("clock", &[]),
        ("model", &[]),
        ("texts", &[]),
        ("match", &[]),
        ("bot", &["Match", "Position"]),
    ];
    for (name, besides) in pure {
        for (path, text) in files(&format!("crates/yaniv-{name}/src"), ".rs") {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for word in REACH.iter().chain(besides) {
                    assert!(!line.contains(word), "{} must not know {word}: {line}", path.display());
                }
            }
        }
    }
}

/// Rooms of a crate (folders under `src`) use each other in one direction only: by imports, or by calls of `Services`.
#[test]
fn rooms_use_each_other_without_circles() {
    for name in ["yaniv-engine", "yaniv-db", "yaniv-app", "yaniv-http"] {
        let source = format!("crates/{name}/src");
        let rooms = std::fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path());
        let rooms: Vec<String> = rooms
            .filter(|path| path.is_dir())
            .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        let text = |room: &String| -> String {
            files(&format!("{source}/{room}"), ".rs").into_iter().map(|(_, text)| text).collect()
        };
        let imports = |room: &String| -> Vec<String> {
            let own = text(room);
            let uses = |other: &&String| {
                own.contains(&format!("crate::{other}::"))
                    || methods(&text(other)).iter().any(|method| {
                        ["self.", "services."].iter().any(|of| own.contains(&format!("{of}{method}(")))
                    })
            };
            rooms.iter().filter(|other| *other != room).filter(uses).cloned().collect()
        };
        let mut left: Vec<(String, Vec<String>)> =
            rooms.iter().map(|room| (room.clone(), imports(room))).collect();
        while !left.is_empty() {
            let lowest = left.iter().position(|(_, others)| {
                others.iter().all(|other| left.iter().all(|(room, _)| room != other))
            });
            let lowest = lowest.unwrap_or_else(|| panic!("{name}: rooms in a circle: {left:?}"));
            left.remove(lowest);
        }
    }
}

/// Names of the methods of `Services`.
fn methods(text: &str) -> Vec<&str> {
    let blocks = text.split("\nimpl Services {\n").skip(1).filter_map(|block| block.split("\n}\n").next());
    let heads =
        blocks.flat_map(str::lines).filter(|line| line.starts_with("    ") && !line.starts_with("     "));
    heads.filter_map(|line| line.split_once("fn ")?.1.split(['(', '<']).next()).collect()
}

/// Nothing in a request reads a list without a bound. Workers and the tools of administrators may.
#[test]
fn no_request_lists_without_a_bound() {
    for (path, text) in files("crates/yaniv-app/src", ".rs") {
        let of_worker =
            path.iter().any(|part| ["admin", "automatic", "outbox"].iter().any(|room| part == *room));
        assert!(of_worker || !text.contains(", i64::MAX)"), "{} lists without a bound", path.display());
    }
}

#[test]
fn rooms_are_small() {
    for name in ["yaniv-engine", "yaniv-match", "yaniv-db", "yaniv-app", "yaniv-http", "yaniv-trials"] {
        let mut counts: std::collections::BTreeMap<PathBuf, usize> = std::collections::BTreeMap::new();
        for (path, _) in files(&format!("crates/{name}/src"), ".rs") {
            *counts.entry(path.parent().unwrap().to_owned()).or_default() += 1;
        }
        for (room, count) in counts {
            assert!(count <= 18, "{} has {count} files", room.display());
        }
    }
}

#[test]
fn every_variable_is_explained_in_the_sample() {
    let sample = std::fs::read_to_string(".env.sample").unwrap();
    let config = std::fs::read_to_string("src/config.rs").unwrap();
    let named = config.split("env = \"").skip(1).filter_map(|rest| rest.split('"').next());
    for name in named {
        assert!(sample.contains(name), "{name} is not in .env.sample");
    }
}

/// Migrations from this date on must not block players (`migrations/README.md`).
const RULES_SINCE: &str = "2026-11-23";

#[test]
fn no_migration_holds_a_table_for_long() {
    let directories = ["migrations", "crates/yaniv-trials/migrations"];
    for (path, text) in directories.iter().flat_map(|directory| files(directory, "up.sql")) {
        let folder = path.parent().unwrap();
        if folder.file_name().unwrap().to_str().unwrap() >= RULES_SINCE {
            let metadata = std::fs::read_to_string(folder.join("metadata.toml")).unwrap_or_default();
            let wrong = breaks_a_rule(&text, metadata.contains("run_in_transaction = false"));
            assert_eq!(wrong, None, "{}: see migrations/README.md", path.display());
        }
    }
}

/// Of two migrations with the same version, only one would be applied.
#[test]
fn every_migration_has_a_version_of_its_own() {
    let mut versions: Vec<String> = files("migrations", "up.sql")
        .iter()
        .map(|(path, _)| path.parent().unwrap().file_name().unwrap().to_str().unwrap()[..17].to_owned())
        .collect();
    versions.sort();
    assert!(versions.is_sorted_by(|one, other| one < other), "{versions:?}");
}

#[test]
fn migrations_that_hold_a_table_are_seen() {
    for text in [
        "CREATE INDEX a_idx ON seats (a);",
        "-- Quick.\nCREATE UNIQUE INDEX a_key\n    ON seats (a);",
        "ALTER TABLE seats ADD COLUMN a text;\nUPDATE seats SET a = '';",
        "ALTER TABLE seats ALTER COLUMN a TYPE bigint;",
        "ALTER TABLE seats ADD CONSTRAINT a_check CHECK (a > 0);",
    ] {
        assert!(breaks_a_rule(text, false).is_some(), "{text}");
    }
    for text in [
        "CREATE INDEX a_idx ON seats (a);",
        "CREATE INDEX CONCURRENTLY IF NOT EXISTS a_idx ON seats (a); COMMENT ON INDEX a_idx IS 'a';",
        "DO $$ BEGIN UPDATE seats SET a = ''; END $$;",
    ] {
        assert!(breaks_a_rule(text, true).is_some(), "{text}");
    }
}

/// The first statement of a migration that others might have to wait for.
fn breaks_a_rule(text: &str, outside_of_a_transaction: bool) -> Option<String> {
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
    let code = code.join(" ").split_whitespace().collect::<Vec<_>>().join(" ");
    // Bodies of functions and blocks are the odd parts.
    let outside: String = code.split("$$").step_by(2).collect();
    let statements = outside.split(';').map(str::trim).filter(|statement| !statement.is_empty());
    if outside_of_a_transaction {
        let index = ["CREATE INDEX", "CREATE UNIQUE INDEX", "DROP INDEX"];
        let index = index.iter().any(|start| code.starts_with(&format!("{start} CONCURRENTLY IF")));
        let backfill = code.starts_with("DO $$") && code.contains("COMMIT;");
        return if statements.count() == 1 && (index || backfill) { None } else { Some(code) };
    }
    let created: Vec<&str> =
        outside.split("CREATE TABLE ").skip(1).filter_map(|rest| rest.split([' ', '(']).next()).collect();
    let word_after = |statement: &str, word: &str| {
        let rest = statement.split_once(word).map(|(_, rest)| rest.trim_start());
        rest.and_then(|rest| rest.split([' ', '(']).next()).unwrap_or_default().to_owned()
    };
    let mut wrong = statements.filter(|statement| {
        let table = match statement.split(' ').next().unwrap() {
            "CREATE" if statement.contains(" INDEX ") => word_after(statement, " ON "),
            "UPDATE" => word_after(statement, "UPDATE "),
            "INSERT" => word_after(statement, "INTO "),
            "DELETE" => word_after(statement, "FROM "),
            "ALTER" if rewrites_or_scans(statement) => word_after(statement, "TABLE "),
            _ => return false,
        };
        !created.contains(&table.as_str())
    });
    wrong.next().map(str::to_owned)
}

fn rewrites_or_scans(alter: &str) -> bool {
    let constraint = alter.contains("ADD CONSTRAINT") || alter.contains(" CHECK (");
    alter.contains(" TYPE ") || alter.contains("SET NOT NULL") || (constraint && !alter.contains("NOT VALID"))
}
