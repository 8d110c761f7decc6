//! A running server, observed through its `postmaster.pid`, socket and process. `launch` starts one.

use std::fs;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};

use crate::error::Error;
use crate::sql;

/// Polling interval.
pub(crate) const PAUSE: Duration = Duration::from_millis(2);

/// Timeout of a server's shutdown.
const STOP_PATIENCE: Duration = Duration::from_secs(60);

/// The server of a data directory.
#[derive(Debug, Clone)]
pub(crate) struct Postmaster {
    data: PathBuf,
    pid: i32,
    socket_dir: PathBuf,
    port: u16,
}

/// State of a data directory's server.
#[derive(Debug)]
pub(crate) enum State {
    /// A server accepts connections.
    Ready(Postmaster),
    /// A server is starting, recovering or stopping.
    Busy,
    /// There is no server, even if it left files behind.
    Gone,
}

impl Postmaster {
    /// Reads the state of a data directory.
    pub(crate) fn observe(data: &Path) -> State {
        let Ok(text) = fs::read_to_string(data.join("postmaster.pid")) else {
            return State::Gone;
        };
        let mut lines = text.lines().map(str::trim);
        let Some(pid) = lines.next().and_then(|line| line.parse().ok()) else {
            return State::Gone;
        };
        let port = lines.nth(2).and_then(|line| line.parse().ok());
        let socket_dir = lines.next().filter(|line| !line.is_empty());
        // A hot standby reports this instead.
        let ready = matches!(lines.nth(2), Some("ready" | "standby"));
        if let (true, Some(port), Some(socket_dir)) = (ready, port, socket_dir) {
            let postmaster = Self { data: data.to_path_buf(), pid, socket_dir: socket_dir.into(), port };
            if UnixStream::connect(postmaster.socket()).is_ok() {
                return State::Ready(postmaster);
            }
        }
        if serves(pid, data) { State::Busy } else { State::Gone }
    }

    /// The URL of one of its databases.
    pub(crate) fn url(&self, database: &str) -> String {
        sql::url(&self.socket_dir, self.port, database)
    }

    /// Its socket directory and port number.
    pub(crate) fn place(&self) -> (&Path, u16) {
        (&self.socket_dir, self.port)
    }

    /// Whether it accepts connections.
    pub(crate) fn answers(&self) -> bool {
        UnixStream::connect(self.socket()).is_ok()
    }

    /// Sends a signal, if the process is still this server, and waits until it has exited.
    pub(crate) fn end(&self, signal: Signal) -> Result<(), Error> {
        let deadline = Instant::now() + STOP_PATIENCE;
        let mut sent = false;
        while serves(self.pid, &self.data) {
            if let (false, Some(pid)) = (sent, Pid::from_raw(self.pid)) {
                sent = kill_process(pid, signal).is_ok();
            }
            if Instant::now() > deadline {
                return Err(Error::NotStopped { pid: self.pid });
            }
            thread::sleep(PAUSE);
        }
        if Some(self.socket_dir.as_path()) != self.data.parent() {
            // The directory was created for the socket; it stays if it is not empty.
            let _ = fs::remove_dir(&self.socket_dir);
        }
        Ok(())
    }

    fn socket(&self) -> PathBuf {
        self.socket_dir.join(format!(".s.PGSQL.{}", self.port))
    }
}

/// Creates a database unless it exists.
pub(crate) fn ensure_database(postmaster: &Postmaster, name: &str) -> Result<(), Error> {
    let doing = || format!("create the database {name}");
    let url = postmaster.url(sql::USER);
    let there = format!("SELECT datname FROM pg_database WHERE datname = {}", sql::literal(name));
    if !sql::run(&url, &[there], doing)?.is_empty() {
        return Ok(());
    }
    let create = format!("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0", sql::identifier(name));
    match sql::run(&url, &[create], doing) {
        Err(error) if sql::already_exists(&error) => Ok(()),
        created => created.map(|_| ()),
    }
}

/// Removes files that a killed server left behind and that would prevent a new start.
///
/// PostgreSQL detects a dead process itself. It does not detect that another process has the same process id now (which
/// is usual in containers), or that a dead one is a zombie.
pub(crate) fn clear_away(data: &Path, socket_dir: &Path, port: u16) {
    for lock in [data.join("postmaster.pid"), socket_dir.join(format!(".s.PGSQL.{port}.lock"))] {
        let pid = fs::read_to_string(&lock).ok().and_then(|text| text.lines().next()?.trim().parse().ok());
        if pid.is_some_and(|pid| is_alive(pid) && !serves(pid, data)) {
            let _ = fs::remove_file(lock);
        }
    }
}

/// Whether a process exists, even as a zombie.
pub(crate) fn is_alive(pid: i32) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

/// Whether a process is the server of a data directory, and not another one with the same process id.
fn serves(pid: i32, data: &Path) -> bool {
    if !is_alive(pid) {
        return false;
    }
    let data = data.as_os_str().as_encoded_bytes();
    if let Ok(arguments) = fs::read(format!("/proc/{pid}/cmdline")) {
        return arguments.split(|byte| *byte == 0).any(|argument| argument == data);
    }
    let listed = Command::new("ps").args(["-o", "args=", "-p"]).arg(pid.to_string()).output();
    listed.is_ok_and(|listed| !data.is_empty() && listed.stdout.windows(data.len()).any(|part| part == data))
}
