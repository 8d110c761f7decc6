//! How many connections the server takes at a time: more wait in the system's queue. Each is a file to the system, which
//! allows a process few of them unless it asks for more.

/// Files besides connections: of the database, the log, the runtime.
const OTHER_FILES: usize = 256;

/// So many connections at most, or fewer where the system allows no more files.
#[must_use]
pub(crate) fn at_most(wanted: usize) -> usize {
    let Some(files) = raise_limit_of_files() else { return wanted };
    let allowed = files.saturating_sub(OTHER_FILES).max(64);
    if allowed < wanted {
        tracing::warn!(allowed, wanted, "the system allows fewer files than there may be connections");
    }
    wanted.min(allowed)
}

/// Takes as many files as the system lets this process have; none if there is no limit.
#[cfg(unix)]
fn raise_limit_of_files() -> Option<usize> {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let limit = if raised.is_ok() { maximum } else { current };
    limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn raise_limit_of_files() -> Option<usize> {
    None
}
