//! The durable cluster of a service: created or reused, started or adopted, shared between processes, stopped by the
//! last one. `launch` starts the server.

use std::fs::{self, DirBuilder, File, TryLockError};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use rustix::process::Signal;

use crate::account::Account;
use crate::binaries::{Binaries, find, find_major};
use crate::dirs::{open_dir, socket_dir};
use crate::error::{Doing, Error};
use crate::launch::{Care, Launch};
use crate::postmaster::{Postmaster, State, ensure_database};

/// A durable cluster with a running server.
///
/// Any number of processes may share it. Dropping it leaves the server running, and so does a crash of the service: the
/// next start adopts the server. If the server itself dies, another [`Cluster::start`] on the same directory restarts
/// it under the same address.
#[derive(Debug)]
pub struct Cluster {
    postmaster: Postmaster,
    /// Lock file, held while a process starts, stops or looks for the server.
    turn: PathBuf,
    /// Shared lock, held by all processes that use the server.
    in_use: File,
}

impl Cluster {
    /// Whether there is a cluster in `dir`, of any major version.
    #[must_use]
    pub fn exists(dir: &Path) -> bool {
        !majors(dir).is_empty()
    }

    /// Starts the cluster in `dir/postgres-<major>`, creating it if needed, or adopts it if it runs.
    ///
    /// Existing data is never replaced by an empty cluster: its major version decides.
    ///
    /// # Errors
    /// [`Error::NoPostgres`] if there are no server programs, [`Error::OtherMajor`] if there are none for the existing
    /// data, [`Error::Unreachable`] if root's server cannot access `dir`, and errors of the start.
    pub fn start(dir: &Path) -> Result<Self, Error> {
        let account = Account::for_server()?;
        // First on the path as given, so that nothing is created if it is unreachable.
        account.check_reach(&std::path::absolute(dir).doing(|| format!("find {}", dir.display()))?)?;
        let dir = open_dir(dir)?;
        account.check_reach(&dir)?;
        let turn = dir.join("postgres.turn.lock");
        let _turn = wait_for_turn(&turn)?;
        let in_use = open_lock(&dir.join("postgres.in-use.lock"))?;
        in_use.lock_shared().doing(|| format!("lock {}", dir.display()))?;
        let postmaster = match running(&dir) {
            Some(postmaster) => postmaster,
            None => start_server(&dir, &account)?,
        };
        Ok(Self { postmaster, turn, in_use })
    }

    /// The URL of one of its databases, for libpq and tokio-postgres.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.postmaster.url(database)
    }

    /// Creates a database unless it exists.
    ///
    /// # Errors
    /// [`Error::Sql`] if the server cannot be reached or refuses.
    pub fn ensure_database(&self, name: &str) -> Result<(), Error> {
        ensure_database(&self.postmaster, name)
    }

    /// Stops the server and waits until it has exited, unless another process uses it.
    ///
    /// # Errors
    /// [`Error::NotStopped`] if it does not stop in a minute.
    pub fn stop(self) -> Result<(), Error> {
        let _turn = wait_for_turn(&self.turn)?;
        let doing = || "give up a cluster".to_owned();
        self.in_use.unlock().doing(doing)?;
        match self.in_use.try_lock() {
            // SIGINT requests a fast, clean shutdown.
            Ok(()) => self.postmaster.end(Signal::INT),
            Err(TryLockError::WouldBlock) => Ok(()),
            Err(TryLockError::Error(error)) => Err(error).doing(doing),
        }
    }
}

/// A running server on one of the directories. Adopting it needs no programs.
fn running(dir: &Path) -> Option<Postmaster> {
    majors(dir).into_iter().rev().find_map(|major| match Postmaster::observe(&data(&home(dir, major))) {
        State::Ready(postmaster) => Some(postmaster),
        State::Busy | State::Gone => None,
    })
}

fn start_server(dir: &Path, account: &Account) -> Result<Postmaster, Error> {
    let binaries = binaries_for(dir, &majors(dir))?;
    let home = home(dir, binaries.major());
    if !home.exists() {
        DirBuilder::new().mode(0o700).create(&home).doing(|| format!("make {}", home.display()))?;
    }
    let account = &account.or_owner_of(&home);
    account.give(&home)?;
    let launch = Launch {
        account,
        data: data(&home),
        socket_dir: socket_dir(&home, account)?,
        log: home.join("server.log"),
        care: Care::Durable,
        tcp: None,
        supervisor: None,
    };
    launch.ensure(|| Ok(binaries))
}

/// The programs for the existing data, of the newest major version with data. Only with an explicit
/// `LOCAL_POSTGRES_BIN` may they be of an older one.
fn binaries_for(dir: &Path, majors: &[u32]) -> Result<Binaries, Error> {
    let Some(&newest) = majors.last() else {
        return find();
    };
    let found = match find_major(Some(newest)) {
        Ok(binaries) if majors.contains(&binaries.major()) => return Ok(binaries),
        Ok(other) => format!("LOCAL_POSTGRES_BIN is PostgreSQL {}", other.version()),
        Err(Error::NoPostgres { tried, .. }) => format!("that cannot be had ({tried})"),
        Err(error) => return Err(error),
    };
    Err(Error::OtherMajor { dir: dir.to_path_buf(), major: newest, found })
}

/// The major versions that have data in `dir`, in ascending order.
fn majors(dir: &Path) -> Vec<u32> {
    let entries = fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let mut majors: Vec<u32> = entries
        .filter_map(|entry| entry.file_name().to_str()?.strip_prefix("postgres-")?.parse().ok())
        .filter(|&major| data(&home(dir, major)).join("PG_VERSION").exists())
        .collect();
    majors.sort_unstable();
    majors
}

fn home(dir: &Path, major: u32) -> PathBuf {
    dir.join(format!("postgres-{major}"))
}

fn data(home: &Path) -> PathBuf {
    home.join("data")
}

/// Waits until no other process holds a lock; it is released when the file is closed.
pub(crate) fn wait_for_turn(path: &Path) -> Result<File, Error> {
    let file = open_lock(path)?;
    file.lock().doing(|| format!("lock {}", path.display()))?;
    Ok(file)
}

fn open_lock(path: &Path) -> Result<File, Error> {
    File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .doing(|| format!("open {}", path.display()))
}
