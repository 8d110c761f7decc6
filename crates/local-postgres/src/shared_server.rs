//! The server shared by all tests of a user: started by the first process, stopped some minutes after the last one.
//! `test_database` manages its databases.

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::account::Account;
use crate::binaries::find;
use crate::cluster::wait_for_turn;
use crate::dirs::{socket_dir, test_dir};
use crate::error::{Doing, Error};
use crate::launch::{Care, Launch};
use crate::postmaster::{Postmaster, State};

/// Interval of a process's heartbeats; the server stops three minutes after the last one.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Runs the server while the file `heartbeat` is touched, then stops it and removes its directory.
///
/// Before stopping, it renames the file: a process that touches it and still finds it afterwards may rely on the
/// server; otherwise it starts a new one.
const SUPERVISE: &str = r#"
home=$0
cd /
expired() { [ ! -e "$1" ] || [ -n "$(find "$1" -mmin +3)" ]; }
"$@" &
server=$!
while sleep 5; do
  if expired "$home/heartbeat"; then
    mv "$home/heartbeat" "$home/expired"
    if expired "$home/expired"; then kill -QUIT "$server"; break; fi
    mv "$home/expired" "$home/heartbeat"
  fi
done &
watch=$!
wait "$server"
status=$?
kill "$watch" 2>/dev/null
rm -rf "$home"
exit "$status"
"#;

/// The server, as this process knows it.
#[derive(Debug)]
pub(crate) struct SharedServer {
    pub(crate) postmaster: Postmaster,
    home: PathBuf,
    /// Templates known to be complete.
    pub(crate) templates: Mutex<HashSet<String>>,
    /// Whether this process has removed databases of dead ones.
    pub(crate) swept: Mutex<bool>,
}

impl SharedServer {
    /// The server for this process; started if there is none.
    pub(crate) fn acquire() -> Result<Arc<Self>, Error> {
        static CURRENT: Mutex<Option<Arc<SharedServer>>> = Mutex::new(None);
        let mut current = hold(&CURRENT);
        if let Some(server) =
            current.as_ref().filter(|server| touch(&server.home) && server.postmaster.answers())
        {
            return Ok(Arc::clone(server));
        }
        let (home, postmaster) = find_or_start()?;
        let server =
            Arc::new(Self { postmaster, home, templates: Mutex::default(), swept: Mutex::default() });
        *current = Some(Arc::clone(&server));
        let home = server.home.clone();
        thread::spawn(move || {
            while touch(&home) {
                thread::sleep(HEARTBEAT);
            }
        });
        Ok(server)
    }

    /// Waits until no other thread or process holds this lock.
    pub(crate) fn lock(&self, name: &str) -> Result<File, Error> {
        wait_for_turn(&self.home.join(format!("{name}.lock")))
    }
}

/// Locks a mutex, ignoring poison: its data is always consistent.
pub(crate) fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find_or_start() -> Result<(PathBuf, Postmaster), Error> {
    let account = Account::for_server()?;
    let base = test_dir(&account)?;
    let _turn = wait_for_turn(&base.join("turn.lock"))?;
    let note = base.join("current");
    let home = fs::read_to_string(&note).map(|name| base.join(name.trim())).ok();
    if let Some(home) = home.filter(|home| touch(home))
        && let State::Ready(postmaster) = Postmaster::observe(&home.join("data"))
    {
        return Ok((home, postmaster));
    }
    sweep(&base);
    let name = format!("server-{}-{:x}", std::process::id(), moment());
    let home = base.join(&name);
    let doing = || format!("make {}", home.display());
    DirBuilder::new().mode(0o700).create(&home).doing(doing)?;
    account.give(&home)?;
    File::create(home.join("heartbeat")).doing(doing)?;
    let launch = Launch {
        account: &account,
        data: home.join("data"),
        socket_dir: socket_dir(&home, &account)?,
        log: base.join("server.log"),
        care: Care::ThrowAway,
        tcp: None,
        supervisor: Some(SUPERVISE),
    };
    let started = launch.ensure(find).and_then(|postmaster| {
        fs::write(&note, &name).doing(|| format!("write {}", note.display()))?;
        Ok(postmaster)
    });
    if started.is_err() {
        let _ = fs::remove_dir_all(&home);
    }
    Ok((home, started?))
}

/// Sends a heartbeat. False if the server is stopping or gone.
fn touch(home: &Path) -> bool {
    let heartbeat = home.join("heartbeat");
    let touched = || -> io::Result<bool> {
        let file = File::options().write(true).open(&heartbeat)?;
        file.set_modified(SystemTime::now())?;
        Ok(fs::metadata(&heartbeat)?.ino() == file.metadata()?.ino())
    };
    touched().unwrap_or(false)
}

/// Removes the directories of servers whose supervisor was killed or lost power.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().filter_map(Result::ok) {
        let home = entry.path();
        let is_server = entry.file_name().to_string_lossy().starts_with("server-");
        if is_server && matches!(Postmaster::observe(&home.join("data")), State::Gone) {
            let _ = fs::remove_dir_all(home);
        }
    }
}

/// A unique number, from the time.
pub(crate) fn moment() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}
