//! A durable cluster for one test that breaks it. For ordinary tests there is `test_database`.

use std::env;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::process::Signal;

use crate::account::Account;
use crate::binaries::{Binaries, find};
use crate::dirs::{own_dir, socket_dir};
use crate::error::{Doing, Error};
use crate::launch::{Care, Launch};
use crate::postmaster::{Postmaster, State, ensure_database, is_alive};

/// The start of the names of the directories; what follows is the process.
const PREFIX: &str = "local-postgres-cluster-";

/// A private cluster with the settings of a real one, to be killed and brought back. It goes with this value.
#[derive(Debug)]
pub struct TestCluster {
    account: Account,
    binaries: Binaries,
    home: PathBuf,
    postmaster: Postmaster,
}

impl TestCluster {
    /// Makes a cluster in the temporary directory and starts its server.
    ///
    /// # Errors
    /// [`Error::NoPostgres`] if there are no server programs, and what may go wrong in a start.
    pub fn start() -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let account = Account::for_server()?;
        let binaries = find()?;
        let parent = env::temp_dir();
        let parent = parent.canonicalize().doing(|| format!("find {}", parent.display()))?;
        sweep(&parent);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let home = parent.join(format!("{PREFIX}{}-{count}", std::process::id()));
        own_dir(&home, &account)?;
        account.give(&home)?;
        let launched = launch(&account, &home).and_then(|launch| launch.ensure(|| Ok(binaries.clone())));
        match launched {
            Ok(postmaster) => Ok(Self { account, binaries, home, postmaster }),
            Err(error) => {
                let _ = fs::remove_dir_all(&home);
                Err(error)
            }
        }
    }

    /// The address of one of its databases.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        self.postmaster.url(database)
    }

    /// Creates a database unless it is there.
    ///
    /// # Errors
    /// [`Error::Sql`] if the server cannot be reached or refuses.
    pub fn ensure_database(&self, name: &str) -> Result<(), Error> {
        ensure_database(&self.postmaster, name)
    }

    /// Kills the server without a warning and waits until it is gone.
    ///
    /// # Errors
    /// [`Error::NotStopped`] if it is still there after a minute.
    pub fn kill9(&mut self) -> Result<(), Error> {
        self.postmaster.end(Signal::KILL)
    }

    /// Brings the server back under the same address, with recovery if it was killed.
    ///
    /// # Errors
    /// [`Error::Start`] if it does not come up.
    pub fn restart(&mut self) -> Result<(), Error> {
        self.postmaster = launch(&self.account, &self.home)?.ensure(|| Ok(self.binaries.clone()))?;
        Ok(())
    }
}

impl Drop for TestCluster {
    fn drop(&mut self) {
        remove(&self.home);
    }
}

fn launch<'a>(account: &'a Account, home: &Path) -> Result<Launch<'a>, Error> {
    Ok(Launch {
        account,
        data: home.join("data"),
        socket_dir: socket_dir(home, account)?,
        log: home.join("server.log"),
        care: Care::Durable,
        supervisor: None,
    })
}

/// Removes the clusters of processes that died before they could.
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

/// Stops what runs on a directory, at once, and removes it.
fn remove(home: &Path) {
    if let State::Ready(postmaster) = Postmaster::observe(&home.join("data")) {
        // What SIGQUIT means to PostgreSQL is to stop without writing anything down.
        let _ = postmaster.end(Signal::QUIT);
    }
    let _ = fs::remove_dir_all(home);
}
