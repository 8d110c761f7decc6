//! The server that all tests of a user share: started by whoever comes first, gone some minutes after the last one.
//! The databases on it are in `test_database`.

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

/// How often a process says that it still needs the server, which waits for three minutes.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// Runs the server as long as the file `heartbeat` is touched, then stops it and removes its directory.
///
/// Before the end the file is moved out of the way: whoever touches it and still finds it in its place afterwards may
/// rely on the server; whoever does not starts another one.
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
    /// The templates this process knows to be complete.
    pub(crate) templates: Mutex<HashSet<String>>,
    /// Whether this process has removed what dead ones have left.
    pub(crate) swept: Mutex<bool>,
}

impl SharedServer {
    /// The server for this process, started if there is none.
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

    /// Waits until no other thread or process holds the lock of this name.
    pub(crate) fn lock(&self, name: &str) -> Result<File, Error> {
        wait_for_turn(&self.home.join(format!("{name}.lock")))
    }
}

/// Locks a mutex; what it guards is never left half changed.
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

/// Says that the server is needed. False if it is about to go, or gone.
fn touch(home: &Path) -> bool {
    let heartbeat = home.join("heartbeat");
    let touched = || -> io::Result<bool> {
        let file = File::options().write(true).open(&heartbeat)?;
        file.set_modified(SystemTime::now())?;
        Ok(fs::metadata(&heartbeat)?.ino() == file.metadata()?.ino())
    };
    touched().unwrap_or(false)
}

/// Removes the directories of servers whose supervisor could not do it, because it was killed or the power failed.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().filter_map(Result::ok) {
        let home = entry.path();
        let is_server = entry.file_name().to_string_lossy().starts_with("server-");
        if is_server && matches!(Postmaster::observe(&home.join("data")), State::Gone) {
            let _ = fs::remove_dir_all(home);
        }
    }
}

/// A number that does not come again.
pub(crate) fn moment() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}
