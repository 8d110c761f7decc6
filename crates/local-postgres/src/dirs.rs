//! Choice of directories: data, fetched programs, sockets, test servers. Nothing is started or unpacked here.

use std::env;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Access;
use sha2::{Digest, Sha256};

use crate::account::Account;
use crate::error::{Doing, Error};

/// The name of our directories within the user's or the system's.
const NAME: &str = "yaniv";

/// Maximum length of a socket directory: a socket's path has at most 104 bytes on macOS, and its file name takes 17.
const LONGEST_SOCKET_DIR: usize = 84;

/// Free space that /dev/shm needs for test servers; in a container it may be as small as 64 MB.
const ROOMY: u64 = 1 << 30;

/// Default data directory of a service.
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

/// The cache of fetched programs: writable for us, and readable for the user that runs the server.
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
    // Readable for others, so that the user that runs root's server has access.
    fs::set_permissions(&dir, PermissionsExt::from_mode(0o755))
        .doing(|| format!("open {}", dir.display()))?;
    Ok(dir)
}

/// The directory of test servers: in memory if there is space.
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

/// The socket directory of the server with its files in `home`: the same, unless the path is too long or has unusual
/// characters.
pub(crate) fn socket_dir(home: &Path, account: &Account) -> Result<PathBuf, Error> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-+@~ ".contains(c));
    if home
        .to_str()
        .is_some_and(|text| text.len() <= LONGEST_SOCKET_DIR && plain(text) && !text.ends_with(' '))
    {
        return Ok(home.to_path_buf());
    }
    let hash = hex(&Sha256::digest(home.as_os_str().as_encoded_bytes()), 16);
    // Not the environment's temporary directory, whose path is long on macOS.
    let dir = PathBuf::from(format!("/tmp/local-postgres-{}-{hash}", account.uid));
    own_dir(&dir, account)?;
    account.give(&dir)?;
    Ok(dir)
}

/// Creates a directory that others may enter, with its parents, and returns its real path.
pub(crate) fn open_dir(dir: &Path) -> Result<PathBuf, Error> {
    let doing = || format!("make {}", dir.display());
    let missing: Vec<&Path> = dir.ancestors().take_while(|ancestor| !ancestor.exists()).collect();
    fs::create_dir_all(dir).doing(doing)?;
    for made in missing.iter().filter(|made| !made.as_os_str().is_empty()) {
        fs::set_permissions(made, PermissionsExt::from_mode(0o755)).doing(doing)?;
    }
    dir.canonicalize().doing(doing)
}

/// Creates a directory for us and the server alone. In a world-writable place it may exist and belong to another user:
/// then it is refused.
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
    Err(io::Error::new(ErrorKind::PermissionDenied, "it belongs to another user")).doing(doing)
}

/// The first `digits` hexadecimal digits of a hash.
pub(crate) fn hex(bytes: &[u8], digits: usize) -> String {
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    text.chars().take(digits).collect()
}

/// Whether a directory can be created and written: whether its nearest existing ancestor can.
fn can_be_written(dir: &Path) -> bool {
    dir.ancestors()
        .find(|ancestor| ancestor.exists())
        .is_some_and(|ancestor| rustix::fs::access(ancestor, Access::WRITE_OK | Access::EXEC_OK).is_ok())
}

/// An environment variable, if set and not empty.
pub(crate) fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
