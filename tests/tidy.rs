//! The house style, as far as a program can see it: layers, file headers, file lengths, and the two places that have
//! to say the same.

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
        let most = if is_test(&path) { 500 } else { 300 };
        let lines = text.lines().count();
        assert!(lines <= most, "{} has {lines} lines, {most} are the most", path.display());
    }
}

#[test]
fn dependencies_point_one_way() {
    let forbidden: &[(&str, &[&str])] = &[
        ("src/store", &["actix_web", "crate::http", "crate::service", "crate::auth", "yaniv_engine"]),
        (
            "src/outward",
            &["actix_web", "diesel", "crate::http", "crate::service", "crate::store", "yaniv_engine"],
        ),
        ("src/auth", &["actix_web", "diesel", "crate::http", "crate::service"]),
        (
            "src/service",
            &["actix_web", "crate::http", "utoipa", "diesel::prelude", "diesel::sql", "sql_query"],
        ),
        ("src/http", &["diesel", "crate::store::Store", "deadpool", "table_load", "action_save"]),
        (
            "crates/yaniv-engine/src",
            &["std::time", "std::fs", "std::net", "std::env", "std::process", "std::io"],
        ),
        // What the time is comes from the caller.
        (
            "crates/yaniv-clock/src",
            &["std::time", "std::fs", "std::net", "std::env", "std::process", "std::io", "::now(", "yaniv::"],
        ),
        // They know what the document says, and nothing else.
        ("crates/yaniv-client/src", &["yaniv_engine", "yaniv::", "actix_web"]),
        ("crates/yaniv-play/src", &["yaniv_engine", "yaniv::", "actix_web", "reqwest"]),
    ];
    for (directory, words) in forbidden {
        for (path, text) in files(directory, ".rs") {
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                for word in *words {
                    assert!(!line.contains(word), "{} must not know {word}: {line}", path.display());
                }
            }
        }
    }
}

#[test]
fn the_engine_depends_on_nothing_that_could_reach_out() {
    let manifest = std::fs::read_to_string("crates/yaniv-engine/Cargo.toml").unwrap();
    let dependencies = manifest.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
    let names: Vec<&str> =
        dependencies.lines().filter_map(|line| line.split([' ', '.', '=']).next()).collect();
    let named: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    assert_eq!(named, ["hmac", "sha2", "serde", "serde_json"]);
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
