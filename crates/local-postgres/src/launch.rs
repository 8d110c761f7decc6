//! Creates a cluster and starts its server, as the right user and detached from our process. Callers hold the locks.

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use crate::account::Account;
use crate::binaries::Binaries;
use crate::error::{Doing, Error};
use crate::postmaster::{PAUSE, Postmaster, State, clear_away};
use crate::sql;

/// Timeout of a server's start, including crash recovery.
const START_PATIENCE: Duration = Duration::from_secs(300);

/// How long the last processes of a crashed server may hold its shared memory.
const CRASH_PATIENCE: Duration = Duration::from_secs(20);

/// A log longer than this is renamed at the next start.
const LONG_LOG: u64 = 1 << 20;

/// The socket directories are private, so any number works.
const PORT: u16 = 5432;

const SHELL: &str = "/bin/sh";

/// Runs its arguments with the log `$0`, and closes descriptors inherited from our parent.
///
/// A server is long-lived, and would keep a lock or the pipe of a build open. Plain shells can name only the first ten.
const DETACH: &str = r#"
exec >>"$0" 2>&1
if command -v bash >/dev/null; then
  exec bash -p -c 'for fd in /dev/fd/*; do fd=${fd##*/}; [ "$fd" -le 2 ] || eval "exec $fd>&-"; done; exec "$@"' - "$@"
fi
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
exec "$@"
"#;

/// Durability of a cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    /// Commits survive a power failure.
    Durable,
    /// Fast; data may be lost in a crash of the machine.
    ThrowAway,
}

/// Parameters of a server's start.
#[derive(Debug)]
pub(crate) struct Launch<'a> {
    pub(crate) account: &'a Account,
    /// The data directory; its parent belongs to the account as well.
    pub(crate) data: PathBuf,
    pub(crate) socket_dir: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) care: Care,
    /// A TCP port of this machine to listen on, besides the socket.
    pub(crate) tcp: Option<u16>,
    /// A shell script that runs its arguments, which start the server; `$0` is the parent of the data directory.
    pub(crate) supervisor: Option<&'static str>,
}

impl Launch<'_> {
    /// The running server, or a new one; `binaries` is called only for the latter.
    pub(crate) fn ensure(
        &self,
        binaries: impl FnOnce() -> Result<Binaries, Error>,
    ) -> Result<Postmaster, Error> {
        let deadline = Instant::now() + START_PATIENCE;
        loop {
            match Postmaster::observe(&self.data) {
                State::Ready(postmaster) => return Ok(postmaster),
                State::Gone => break,
                State::Busy if Instant::now() > deadline => {
                    return Err(self.failure("the server that is there does not become ready", 0));
                }
                State::Busy => thread::sleep(PAUSE),
            }
        }
        let binaries = binaries()?;
        if !self.data.join("PG_VERSION").exists() {
            self.init(&binaries)?;
        }
        let crash_deadline = Instant::now() + CRASH_PATIENCE;
        loop {
            match self.start(&binaries) {
                Err(Error::Start { log, .. })
                    if log.contains("shared memory block") && Instant::now() < crash_deadline =>
                {
                    thread::sleep(Duration::from_millis(200));
                }
                started => return started,
            }
        }
    }

    /// Creates the data directory atomically.
    fn init(&self, binaries: &Binaries) -> Result<(), Error> {
        let doing = || format!("make {}", self.data.display());
        for entry in fs::read_dir(self.home()).doing(doing)?.filter_map(Result::ok) {
            // Left behind by a killed process; its initdb may still be running.
            if entry.file_name().to_string_lossy().starts_with("data.new") {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let new = self.data.with_extension(format!("new-{}", std::process::id()));
        let mut command = self.account.command(&binaries.dir().join("initdb"), self.home());
        command.arg("-D").arg(&new).args(["-U", sql::USER, "--encoding=UTF8", "--locale=C"]);
        // Connections through the socket need no password; only the user (and root) can access its directory.
        command.args(["--auth-local=trust", "--auth-host=reject"]);
        match self.care {
            Care::Durable => command.arg("--data-checksums"),
            Care::ThrowAway => command.arg("--no-sync"),
        };
        let output = command.output().doing(|| "run initdb".to_owned())?;
        if !output.status.success() {
            let _ = fs::remove_dir_all(&new);
            return Err(Error::Initdb { output: String::from_utf8_lossy(&output.stderr).trim().to_owned() });
        }
        fs::rename(&new, &self.data).doing(doing)
    }

    fn start(&self, binaries: &Binaries) -> Result<Postmaster, Error> {
        clear_away(&self.data, &self.socket_dir, PORT);
        if fs::metadata(&self.log).is_ok_and(|log| log.len() > LONG_LOG) {
            fs::rename(&self.log, self.log.with_extension("log.old"))
                .doing(|| format!("put {} aside", self.log.display()))?;
        }
        let before = fs::metadata(&self.log).map_or(0, |log| log.len());
        let mut command = self.account.command(Path::new(SHELL), self.home());
        command.args(["-c", DETACH]).arg(&self.log);
        if let Some(script) = self.supervisor {
            command.args([SHELL, "-c", script]).arg(self.home());
        }
        command.arg(binaries.dir().join("postgres"));
        command.arg("-D").arg(&self.data);
        for setting in self.settings() {
            command.arg("-c").arg(setting);
        }
        // A separate process group: Ctrl-C in the terminal is for us, and we decide when the server stops.
        command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null());
        let ended = reap(command.spawn().doing(|| "start PostgreSQL".to_owned())?);
        let deadline = Instant::now() + START_PATIENCE;
        loop {
            if let State::Ready(postmaster) = Postmaster::observe(&self.data) {
                return Ok(postmaster);
            }
            if let Ok(status) = ended.try_recv() {
                let status = status.map_or_else(|| "it ended".to_owned(), |status| status.to_string());
                return Err(self.failure(&status, before));
            }
            if Instant::now() > deadline {
                return Err(self.failure("it does not become ready", before));
            }
            thread::sleep(PAUSE);
        }
    }

    /// Settings that must not be changed; the rest is in `postgresql.conf`.
    fn settings(&self) -> Vec<String> {
        let mut settings = vec![
            "listen_addresses=".to_owned(),
            format!("unix_socket_directories=\"{}\"", self.socket_dir.display()),
            "unix_socket_permissions=0700".to_owned(),
            format!("port={PORT}"),
            "timezone=UTC".to_owned(),
            "log_timezone=UTC".to_owned(),
            "log_checkpoints=off".to_owned(),
            "logging_collector=off".to_owned(),
        ];
        let careful = ["fsync=on", "synchronous_commit=on", "full_page_writes=on"];
        let careless = [
            "fsync=off",
            "synchronous_commit=off",
            "full_page_writes=off",
            "max_connections=200",
            "autovacuum=off",
            "jit=off",
            "wal_level=minimal",
            "max_wal_senders=0",
            "max_wal_size=256MB",
        ];
        match self.care {
            Care::Durable => settings.extend(careful.map(str::to_owned)),
            Care::ThrowAway => settings.extend(careless.map(str::to_owned)),
        }
        if let Some(port) = self.tcp {
            settings.extend(["listen_addresses=127.0.0.1".to_owned(), format!("port={port}")]);
        }
        settings
    }

    fn home(&self) -> &Path {
        self.data.parent().unwrap_or(&self.data)
    }

    fn failure(&self, reason: &str, offset: u64) -> Error {
        let log = tail(&self.log, offset).unwrap_or_default();
        Error::Start { reason: reason.to_owned(), file: self.log.clone(), log }
    }
}

/// Waits for a process on a separate thread, so that it does not become a zombie, which the next server would take for
/// alive.
fn reap(mut child: Child) -> Receiver<Option<ExitStatus>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let _ = sender.send(child.wait().ok());
    });
    receiver
}

/// The last lines written to a log after `offset`.
fn tail(log: &Path, offset: u64) -> std::io::Result<String> {
    let mut file = File::open(log)?;
    file.seek(SeekFrom::Start(offset))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().collect();
    let skipped = lines.len().saturating_sub(10);
    Ok(lines.into_iter().skip(skipped).collect::<Vec<_>>().join("\n"))
}
