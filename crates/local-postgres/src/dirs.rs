//! Where things are kept: data, fetched programs, sockets, test servers. Only places are chosen here; nothing is
//! started or unpacked.

use std::env;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use sha2::{Digest, Sha256};

use crate::account::Account;
use crate::error::{Doing, Error};

/// The name of our directories below the user's or the system's.
const NAME: &str = "yaniv";

/// The longest socket directory: a socket's address has 104 bytes on macOS, and the name of the socket takes 17.
const LONGEST_SOCKET_DIR: usize = 84;

/// What /dev/shm must have to spare for test servers; in a container it may be as small as 64 MB.
const ROOMY: u64 = 1 << 30;

/// Where a service keeps its data unless told otherwise.
///
/// `YANIV_DATA_DIR` if set; `/var/lib/yaniv` for root; else `$XDG_DATA_HOME/yaniv` or `~/.local/share/yaniv`.
///
/// # Errors
/// [`Error::NoDataDir`] if there is no such place, or it cannot be written.
pub fn default_dir() -> Result<PathBuf, Error> {
    if let Some(dir) = variable("YANIV_DATA_DIR") {
        return Ok(dir);
    }
    let absolute = |name| variable(name).filter(|dir| dir.is_absolute());
    let candidate = if rustix::process::geteuid().is_root() {
        Some(Path::new("/var/lib").join(NAME))
    } else {
        absolute("XDG_DATA_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
            .map(|dir| dir.join(NAME))
    };
    match candidate {
        Some(dir) if can_be_written(&dir) => Ok(dir),
        Some(dir) => Err(Error::NoDataDir { reason: format!("{} cannot be written", dir.display()) }),
        None => Err(Error::NoDataDir { reason: "HOME is not set".to_owned() }),
    }
}

/// Where fetched programs are kept: writable for us and within reach of the user that runs the server.
pub(crate) fn cache_dir(account: &Account) -> Result<PathBuf, Error> {
    let system = rustix::process::geteuid().is_root().then(|| PathBuf::from("/var/cache"));
    let home = variable("HOME").map(|home| home.join(".cache"));
    for parent in [variable("XDG_CACHE_HOME"), system, home].into_iter().flatten() {
        let dir = parent.join(NAME);
        if !can_be_written(&dir) {
            continue;
        }
        if let Ok(dir) = open_dir(&dir)
            && account.check_reach(&dir).is_ok()
        {
            return Ok(dir);
        }
    }
    let dir = env::temp_dir().join(format!("{NAME}-cache-{}", rustix::process::geteuid().as_raw()));
    own_dir(&dir, account)?;
    // Others may look, so that the user who runs the server for root can.
    fs::set_permissions(&dir, PermissionsExt::from_mode(0o755))
        .doing(|| format!("open {}", dir.display()))?;
    Ok(dir)
}

/// Where test servers live: in memory if there is room.
pub(crate) fn test_dir(account: &Account) -> Result<PathBuf, Error> {
    let memory = Path::new("/dev/shm");
    let roomy =
        rustix::fs::statvfs(memory).is_ok_and(|stat| stat.f_bavail.saturating_mul(stat.f_frsize) > ROOMY);
    let parent = if roomy && can_be_written(memory) { memory.to_path_buf() } else { env::temp_dir() };
    let dir = parent.join(format!("local-postgres-{}", rustix::process::geteuid().as_raw()));
    own_dir(&dir, account)?;
    account.give(&dir)?;
    dir.canonicalize().doing(|| format!("find {}", dir.display()))
}

/// Where the server whose files are in `home` puts its socket: there, unless the path is too long or too odd.
pub(crate) fn socket_dir(home: &Path, account: &Account) -> Result<PathBuf, Error> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@~ ".contains(c));
    if home
        .to_str()
        .is_some_and(|text| text.len() <= LONGEST_SOCKET_DIR && plain(text) && !text.ends_with(' '))
    {
        return Ok(home.to_path_buf());
    }
    let hash = hex(&Sha256::digest(home.as_os_str().as_encoded_bytes()), 16);
    // Not the temporary directory of the environment, which is long on macOS.
    let dir = PathBuf::from(format!("/tmp/local-postgres-{}-{hash}", account.uid));
    own_dir(&dir, account)?;
    account.give(&dir)?;
    Ok(dir)
}

/// Makes a directory that others may enter, with its parents, and says where it really is.
pub(crate) fn open_dir(dir: &Path) -> Result<PathBuf, Error> {
    let doing = || format!("make {}", dir.display());
    let missing: Vec<&Path> = dir.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    fs::create_dir_all(dir).doing(doing)?;
    for made in missing.iter().filter(|made| !made.as_os_str().is_empty()) {
        fs::set_permissions(made, PermissionsExt::from_mode(0o755)).doing(doing)?;
    }
    dir.canonicalize().doing(doing)
}

/// Makes a directory for us and the server alone. In a place where anybody may write it could be somebody else's:
/// that is refused.
pub(crate) fn own_dir(dir: &Path, account: &Account) -> Result<(), Error> {
    let doing = || format!("use {}", dir.display());
    match DirBuilder::new().mode(0o700).create(dir) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        made => return made.doing(doing),
    }
    let metadata = fs::symlink_metadata(dir).doing(doing)?;
    let ours = [rustix::process::geteuid().as_raw(), account.uid].contains(&metadata.uid());
    if metadata.is_dir() && ours && metadata.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::PermissionDenied, "it belongs to somebody else")).doing(doing)
}

/// The first `digits` of a hash.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    text.chars().take(digits).collect()
}

/// Whether a directory can be made and written: its nearest ancestor that exists can.
fn can_be_written(dir: &Path) -> bool {
    dir.ancestors()
        .find(|ancestor| ancestor.exists())
        .is_some_and(|ancestor| rustix::fs::access(ancestor, Access::WRITE_OK | Access::EXEC_OK).is_ok())
}

/// A variable that is set and not empty.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
