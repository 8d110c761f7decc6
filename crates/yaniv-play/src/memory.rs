//! What is remembered between two runs, in a file that only its owner can read: where one played, under which name, the
//! token, and how far one has looked in each match. Never a password.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::{env, process};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// How many log-ins, and matches for each, are remembered.
const LOG_INS: usize = 20;
const MATCHES: usize = 200;

/// The file.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Memory {
    #[serde(skip)]
    path: Option<PathBuf>,
    /// The newest first.
    log_ins: Vec<LogIn>,
}

/// An account at a service.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct LogIn {
    pub(crate) server: String,
    pub(crate) name: String,
    pub(crate) token: String,
    pub(crate) expires_at: DateTime<Utc>,
    /// By which the service knows this machine.
    #[serde(default)]
    device_token: Option<String>,
    /// The last one looked at first.
    #[serde(default)]
    seen: Vec<Seen>,
}

/// How far one has looked.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct Seen {
    id: Uuid,
    version: NonZeroU32,
}

impl Memory {
    /// What is remembered; nothing, if there is no file or it cannot be read.
    pub(crate) fn load() -> Self {
        let path = place();
        let text = path.as_ref().and_then(|path| fs::read(path).ok());
        let memory = text.and_then(|text| serde_json::from_slice::<Self>(&text).ok()).unwrap_or_default();
        Self { path, ..memory }
    }

    /// The log-in used last at this service under this name; each may be left open.
    pub(crate) fn find(&self, server: Option<&str>, name: Option<&str>) -> Option<&LogIn> {
        self.log_ins.iter().find(|log_in| {
            server.is_none_or(|server| server == log_in.server) && name.is_none_or(|name| name == log_in.name)
        })
    }

    /// What shows a service that this machine has logged in under this name before.
    pub(crate) fn device_token(&self, server: &str, name: &str) -> Option<String> {
        self.find(Some(server), Some(name)).and_then(|log_in| log_in.device_token.clone())
    }

    /// Remembers a log-in as the newest.
    pub(crate) fn keep(
        &mut self,
        server: &str,
        name: &str,
        token: &str,
        expires_at: DateTime<Utc>,
        device_token: &str,
    ) {
        self.reread();
        let known = self.log_ins.iter().position(|log_in| log_in.server == server && log_in.name == name);
        let seen = known.map(|at| self.log_ins.remove(at).seen).unwrap_or_default();
        let (server, name, token) = (server.to_owned(), name.to_owned(), token.to_owned());
        let device_token = Some(device_token.to_owned());
        self.log_ins.insert(0, LogIn { server, name, token, expires_at, device_token, seen });
        self.log_ins.truncate(LOG_INS);
        self.save();
    }

    /// How far this player has looked in a match.
    pub(crate) fn seen(&self, server: &str, name: &str, id: Uuid) -> Option<NonZeroU32> {
        let log_in = self.find(Some(server), Some(name))?;
        log_in.seen.iter().find(|seen| seen.id == id).map(|seen| seen.version)
    }

    /// Remembers how far.
    pub(crate) fn keep_seen(&mut self, server: &str, name: &str, id: Uuid, version: NonZeroU32) {
        self.reread();
        let mut log_ins = self.log_ins.iter_mut();
        let Some(log_in) = log_ins.find(|log_in| log_in.server == server && log_in.name == name) else {
            return;
        };
        log_in.seen.retain(|seen| seen.id != id);
        log_in.seen.insert(0, Seen { id, version });
        log_in.seen.truncate(MATCHES);
        self.save();
    }

    /// Another terminal may have written meanwhile.
    fn reread(&mut self) {
        let now = Self::load();
        if !now.log_ins.is_empty() {
            self.log_ins = now.log_ins;
        }
    }

    /// Without this file one has to log in again, nothing worse: it is no reason to stop playing.
    fn save(&self) {
        if let Some(path) = &self.path {
            let _ = self.write(path);
        }
    }

    fn write(&self, path: &Path) -> io::Result<()> {
        if let Some(directory) = path.parent() {
            fs::create_dir_all(directory)?;
        }
        let new = path.with_extension(format!("{}.new", process::id()));
        let mut file = private(&new)?;
        file.write_all(&serde_json::to_vec_pretty(self)?)?;
        file.sync_all()?;
        fs::rename(&new, path)
    }
}

/// `yaniv/play.json` in the user's configuration.
fn place() -> Option<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = set("XDG_CONFIG_HOME")
        .or_else(|| set("APPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(".config")))?;
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
