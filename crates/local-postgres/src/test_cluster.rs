//! A durable cluster for one test that breaks it. Ordinary tests use `test_database`.

use std::env;
use std::fs::{self, File};
use std::io::Write;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::account::Account;
use crate::binaries::{Binaries, find};
use crate::dirs::{own_dir, socket_dir, test_dir};
use crate::error::{Doing, Error};
use crate::launch::{Care, Launch};
use crate::postmaster::{PAUSE, Postmaster, State, ensure_database, is_alive};
use crate::sql::{self, USER};

/// Prefix of the directory names, followed by the process id.
const PREFIX: &str = "local-postgres-cluster-";

/// The program that copies a running server.
const BASEBACKUP: &str = "pg_basebackup";

/// A private cluster with durable settings, to be killed and restarted. Removed on drop.
#[derive(Debug)]
pub struct TestCluster {
    account: Account,
    binaries: Binaries,
    home: PathBuf,
    tcp: Option<u16>,
    postmaster: Postmaster,
}

impl TestCluster {
    /// Creates a cluster in the temporary directory and starts its server.
    ///
    /// # Errors
    /// [`Error::NoPostgres`] if there are no server programs, and errors of the start.
    pub fn start() -> Result<Self, Error> {
        Self::start_in(&env::temp_dir())
    }

    /// The same in memory, if there is space: faster, and sufficient where only processes are killed.
    ///
    /// # Errors
    /// Those of `start`.
    pub fn start_in_memory() -> Result<Self, Error> {
        Self::start_in(&test_dir(&Account::for_server()?)?)
    }

    /// The same in memory, also on a TCP port of the loopback ([`port`](Self::port)). It refuses every client there
    /// until the test writes `pg_hba.conf`.
    ///
    /// # Errors
    /// Those of `start`.
    pub fn start_on_tcp() -> Result<Self, Error> {
        Self::start_on_tcp_in(&test_dir(&Account::for_server()?)?)
    }

    /// The same in another directory, as for [`start_in`](Self::start_in).
    ///
    /// # Errors
    /// Those of `start`.
    pub fn start_on_tcp_in(parent: &Path) -> Result<Self, Error> {
        Self::start_with(parent, Some(free_port()?))
    }

    /// The same in another directory, which the server's user must be able to access.
    ///
    /// # Errors
    /// Those of `start`.
    pub fn start_in(parent: &Path) -> Result<Self, Error> {
        Self::start_with(parent, None)
    }

    fn start_with(parent: &Path, tcp: Option<u16>) -> Result<Self, Error> {
        let account = Account::for_server()?;
        let binaries = find()?;
        let home = new_home(parent, &account)?;
        let launched = launch(&account, &home, tcp).and_then(|launch| launch.ensure(|| Ok(binaries.clone())));
        match launched {
            Ok(postmaster) => Ok(Self { account, binaries, home, tcp, postmaster }),
            Err(error) => {
                let _ = fs::remove_dir_all(&home);
                Err(error)
            }
        }
    }

    /// The URL of one of its databases.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.postmaster.url(database)
    }

    /// The number of its port, which the name of the socket has as well.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.postmaster.place().1
    }

    /// Creates a database unless it exists.
    ///
    /// # Errors
    /// [`Error::Sql`] if the server cannot be reached or refuses.
    pub fn ensure_database(&self, name: &str) -> Result<(), Error> {
        ensure_database(&self.postmaster, name)
    }

    /// Sends SIGKILL to the server and waits until it is gone.
    ///
    /// # Errors
    /// [`Error::NotStopped`] if it is still there after a minute.
    pub fn kill9(&mut self) -> Result<(), Error> {
        self.postmaster.end(Signal::KILL)?;
        // A session process that was just being started may hold the socket a moment longer, and pass for the server.
        let deadline = Instant::now() + Duration::from_secs(20);
        while self.postmaster.answers() && Instant::now() < deadline {
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Restarts the server under the same address, with recovery if it was killed.
    ///
    /// # Errors
    /// [`Error::Start`] if it does not start.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.postmaster =
            launch(&self.account, &self.home, self.tcp)?.ensure(|| Ok(self.binaries.clone()))?;
        Ok(())
    }
}

/// Standbys, for tests of failover.
impl TestCluster {
    /// Whether `pg_basebackup` is available.
    #[must_use]
    pub fn can_be_copied(&self) -> bool {
        self.binaries.dir().join(BASEBACKUP).is_file()
    }

    /// Creates and starts a standby of this server, with this application name.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be copied, and errors of the start.
    pub fn standby(&self, name: &str) -> Result<Self, Error> {
        let (account, binaries) = (self.account.clone(), self.binaries.clone());
        let home = new_home(self.home.parent().unwrap_or(&self.home), &account)?;
        let tcp = self.tcp.map(|_| free_port()).transpose()?;
        let mut standby = Self { account, binaries, home, tcp, postmaster: self.postmaster.clone() };
        standby.follow(self, name)?;
        Ok(standby)
    }

    /// Discards the data of this server, which must not be running, and makes it a standby of another.
    ///
    /// # Errors
    /// Those of `standby`.
    pub fn follow(&mut self, primary: &Self, name: &str) -> Result<(), Error> {
        let data = self.home.join("data");
        let (dir, port) = primary.postmaster.place();
        // The name is set afterwards, so that the base backup itself does not pass for a standby.
        let source = format!("host='{}' port={port} user={USER}", dir.display());
        let doing = || format!("copy {}", primary.home.display());
        if data.exists() {
            fs::remove_dir_all(&data).doing(doing)?;
        }
        let mut command = self.account.command(&self.binaries.dir().join(BASEBACKUP), &self.home);
        command.arg("-D").arg(&data).args(["-d", &source, "-R", "-X", "stream", "-c", "fast", "--no-sync"]);
        let output = command.output().doing(doing)?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(std::io::Error::other(said)).doing(doing);
        }
        let settings = data.join("postgresql.auto.conf");
        let line = format!("primary_conninfo = '{} application_name={name}'\n", source.replace('\'', "''"));
        let file = File::options().append(true).open(&settings);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .doing(|| format!("write {}", settings.display()))?;
        self.restart()
    }

    /// Promotes a standby and waits until it is the primary.
    ///
    /// # Errors
    /// [`Error::Sql`] if it cannot be reached, or is not promoted within a minute.
    pub fn promote(&self) -> Result<(), Error> {
        let promote = "SELECT pg_promote(true, 60)".to_owned();
        sql::run(&self.url(USER), &[promote], || "promote a standby".to_owned()).map(|_| ())
    }

    /// The URL of a database on whichever of two servers accepts writes.
    #[must_use]
    pub fn url_of_either(&self, other: &Self, database: &str) -> String {
        sql::url_of_either([self.postmaster.place(), other.postmaster.place()], database)
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        remove(&self.home);
    }
}

fn free_port() -> Result<u16, Error> {
    let address = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr());
    Ok(address.doing(|| "find a free port".to_owned())?.port())
}

/// A directory unique to this cluster.
fn new_home(parent: &Path, account: &Account) -> Result<PathBuf, Error> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let parent = parent.canonicalize().doing(|| format!("find {}", parent.display()))?;
    sweep(&parent);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let home = parent.join(format!("{PREFIX}{}-{count}", std::process::id()));
    own_dir(&home, account)?;
    account.give(&home)?;
    Ok(home)
}

fn launch<'a>(account: &'a Account, home: &Path, tcp: Option<u16>) -> Result<Launch<'a>, Error> {
    Ok(Launch {
        account,
        data: home.join("data"),
        socket_dir: socket_dir(home, account)?,
        log: home.join("server.log"),
        care: Care::Durable,
        tcp,
        supervisor: None,
    })
}

/// Removes the clusters of dead processes.
fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().filter_map(Result::ok) {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        let ours = || entry.metadata().is_ok_and(|metadata| is_ours(metadata.uid()));
        if pid.is_some_and(|pid| !is_alive(pid)) && ours() {
            remove(&entry.path());
        }
    }
}

fn is_ours(uid: u32) -> bool {
    uid == rustix::process::geteuid().as_raw()
        || Account::for_server().is_ok_and(|account| account.uid == uid)
}

/// Stops the server of a directory immediately, and removes the directory.
fn remove(home: &Path) {
    if let State::Ready(postmaster) = Postmaster::observe(&home.join("data")) {
        // SIGQUIT requests an immediate shutdown, without a checkpoint.
        let _ = postmaster.end(Signal::QUIT);
    }
    let _ = fs::remove_dir_all(home);
}
