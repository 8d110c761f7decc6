//! State kept between two runs, in a file that only its owner can read: service, user name, tokens, and the last
//! version seen of each match. Never a password.
//!
//! Several terminals may share the file: it is reread, changed and replaced atomically, under a lock.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, process};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;
use yaniv_client::types::Session;

/// Maximum number of stored log-ins, and of matches for each.
const LOG_INS: usize = 20;
const MATCHES: usize = 200;

/// How long another terminal may take to refresh, and the polling interval.
const REFRESHING: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_millis(50);

/// The file.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Memory {
    #[serde(skip)]
    path: Option<PathBuf>,
    /// The file could not be written: it is older than this state.
    #[serde(skip)]
    is_ahead: bool,
    /// Newest first.
    log_ins: Vec<LogIn>,
}

/// An account at a service.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct LogIn {
    pub(crate) server: String,
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) guest: bool,
    /// `None` if logged out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<Tokens>,
    /// Device token, by which the service recognises this machine.
    #[serde(default)]
    device_token: Option<String>,
    /// Most recently seen first.
    #[serde(default)]
    seen: Vec<Seen>,
}

/// A session.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub(crate) struct Tokens {
    session_id: Uuid,
    pub(crate) access_token: String,
    /// Expiry, by this machine's clock.
    pub(crate) expires_at: DateTime<Utc>,
    pub(crate) refresh_token: String,
}

impl Tokens {
    /// The tokens of a new answer.
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            session_id: session.session_id,
            access_token: session.access_token.to_string(),
            // Clocks differ, but the lifetime is the same on both.
            expires_at: Utc::now() + (session.expires_at - session.server_time),
            // It is there, as no cookie was asked for.
            refresh_token: session.refresh_token.as_deref().cloned().unwrap_or_default(),
        }
    }
}

/// The last version seen of a match.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Seen {
    id: Uuid,
    version: NonZeroU32,
}

impl Memory {
    /// Loads this file or the default one; empty if there is none or it cannot be read.
    pub(crate) fn load(path: Option<&Path>) -> Self {
        let path = path.map(Path::to_owned).or_else(usual_place);
        let log_ins = path.as_deref().and_then(read).unwrap_or_default();
        Self { path, is_ahead: false, log_ins }
    }

    /// The newest log-in with this property.
    pub(crate) fn find(&self, wanted: impl Fn(&LogIn) -> bool) -> Option<&LogIn> {
        self.log_ins.iter().find(|log_in| wanted(log_in))
    }

    /// The device token of an earlier log-in under this name.
    pub(crate) fn device_token(&self, server: &str, name: &str) -> Option<String> {
        self.find(|log_in| log_in.is(server, name)).and_then(|log_in| log_in.device_token.clone())
    }

    /// Stores a session with its newest tokens.
    pub(crate) fn keep(&mut self, server: &str, session: &Session, tokens: &Tokens) -> io::Result<()> {
        let name = session.account.username.as_str();
        self.change(|log_ins| {
            let is_it = |log_in: &LogIn| log_in.is(server, name) || log_in.has(tokens.session_id);
            let known = log_ins.iter().position(is_it);
            let seen = known.map(|at| log_ins.remove(at).seen).unwrap_or_default();
            // A guest may have claimed an account that is stored as well.
            log_ins.retain(|log_in| !is_it(log_in));
            let log_in = LogIn {
                server: server.to_owned(),
                name: name.to_owned(),
                guest: session.account.guest.unwrap_or(false),
                tokens: Some(tokens.clone()),
                device_token: Some(session.device_token.to_string()),
                seen,
            };
            log_ins.insert(known.unwrap_or(0).min(log_ins.len()), log_in);
        })
    }

    /// Marks a log-in as the last one used.
    pub(crate) fn put_first(&mut self, server: &str, name: &str) -> io::Result<()> {
        self.change(|log_ins| {
            if let Some(at) = log_ins.iter().position(|log_in| log_in.is(server, name)) {
                let log_in = log_ins.remove(at);
                log_ins.insert(0, log_in);
            }
        })
    }

    /// Renames a guest who claimed the account.
    pub(crate) fn rename(&mut self, server: &str, guest: &str, name: &str) -> io::Result<()> {
        self.change(|log_ins| {
            log_ins.retain(|log_in| !log_in.is(server, name));
            if let Some(log_in) = log_ins.iter_mut().find(|log_in| log_in.is(server, guest)) {
                name.clone_into(&mut log_in.name);
                log_in.guest = false;
            }
        })
    }

    /// Removes the tokens of an ended session, but keeps the name; removes a guest entirely, who cannot log in again.
    pub(crate) fn forget(&mut self, server: &str, name: &str, tokens: &Tokens) -> io::Result<()> {
        self.change(|log_ins| {
            for log_in in log_ins.iter_mut().filter(|log_in| log_in.is(server, name)) {
                if log_in.has(tokens.session_id) {
                    log_in.tokens = None;
                }
            }
            log_ins.retain(|log_in| log_in.tokens.is_some() || !log_in.guest);
        })
    }

    /// The log-in, if its tokens differ from these: another terminal has refreshed them, or logged in again.
    pub(crate) fn newer(&mut self, server: &str, name: &str, tokens: &Tokens) -> Option<LogIn> {
        self.reread();
        let same = self.find(|log_in| log_in.has(tokens.session_id));
        let log_in = same.or_else(|| self.find(|log_in| log_in.is(server, name)))?;
        let differs = log_in.tokens.as_ref().is_some_and(|newest| newest != tokens);
        differs.then(|| log_in.clone())
    }

    /// Waits until no other terminal refreshes. The result is a lock, held until dropped; `None` if there can be no
    /// lock, or it is held for too long: the service tolerates two concurrent refreshes.
    pub(crate) async fn alone(&self) -> Option<File> {
        let lock = private(&self.path.as_ref()?.with_extension("refresh")).ok()?;
        let end = tokio::time::Instant::now() + REFRESHING;
        loop {
            match lock.try_lock() {
                Ok(()) => return Some(lock),
                Err(TryLockError::WouldBlock) if tokio::time::Instant::now() < end => {
                    tokio::time::sleep(LOOK).await;
                }
                Err(_) => return None,
            }
        }
    }

    /// The last version that this player has seen of a match.
    pub(crate) fn seen(&self, server: &str, name: &str, id: Uuid) -> Option<NonZeroU32> {
        let log_in = self.find(|log_in| log_in.is(server, name))?;
        log_in.seen.iter().find(|seen| seen.id == id).map(|seen| seen.version)
    }

    /// Stores the last version seen. If it cannot be written, events are printed twice, nothing worse.
    pub(crate) fn keep_seen(&mut self, server: &str, name: &str, id: Uuid, version: NonZeroU32) {
        if self.seen(server, name, id) == Some(version) {
            return;
        }
        let _ = self.change(|log_ins| {
            if let Some(log_in) = log_ins.iter_mut().find(|log_in| log_in.is(server, name)) {
                log_in.seen.retain(|seen| seen.id != id);
                log_in.seen.insert(0, Seen { id, version });
                log_in.seen.truncate(MATCHES);
            }
        });
    }

    /// Changes the state, here and in the file.
    fn change(&mut self, change: impl FnOnce(&mut Vec<LogIn>)) -> io::Result<()> {
        let Some(path) = self.path.clone() else {
            change(&mut self.log_ins);
            return Ok(());
        };
        if let Some(directory) = path.parent() {
            // If this fails, writing the file fails, too, and is reported below.
            let _ = fs::create_dir_all(directory);
        }
        let lock = private(&path.with_extension("lock"));
        // Without locks, two concurrent writers may lose an entry.
        let _ = lock.as_ref().map(File::lock);
        self.reread();
        change(&mut self.log_ins);
        self.log_ins.truncate(LOG_INS);
        let written = self.write(&path);
        self.is_ahead = written.is_err();
        written
    }

    /// Rereads the file, which another terminal may have changed.
    fn reread(&mut self) {
        if !self.is_ahead
            && let Some(log_ins) = self.path.as_deref().and_then(read)
        {
            self.log_ins = log_ins;
        }
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        let new = path.with_extension(format!("{}.new", process::id()));
        let mut file = private(&new)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        fs::rename(&new, path)
    }
}

impl LogIn {
    fn is(&self, server: &str, name: &str) -> bool {
        self.server == server && self.name == name
    }

    fn has(&self, session_id: Uuid) -> bool {
        self.tokens.as_ref().is_some_and(|tokens| tokens.session_id == session_id)
    }
}

fn read(path: &Path) -> Option<Vec<LogIn>> {
    let text = fs::read(path).ok()?;
    serde_json::from_slice::<Memory>(&text).ok().map(|memory| memory.log_ins)
}

/// The default path: `yaniv/play.json` in the user's state directory.
fn usual_place() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = set("XDG_STATE_HOME")
        .filter(|directory| directory.is_absolute())
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    Some(directory.join("yaniv").join("play.json"))
}

#[cfg(unix)]
fn private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}
