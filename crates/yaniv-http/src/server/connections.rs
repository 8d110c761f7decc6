//! How many connections the server takes at a time: more wait in the system's queue. Each is a file to the system, which
//! allows a process few of them unless it asks for more.

use std::any::Any;

/// Files besides connections: of the database, the log, the runtime.
const OTHER_FILES: usize = 256;

/// So many connections at most, or fewer where the system allows no more files.
#[must_use]
pub fn at_most(wanted: usize) -> usize {
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

/// How long a client may leave unread what it was sent, in milliseconds. Who has vanished without a word, or reads nothing
/// more, would otherwise keep a stream for a quarter of an hour, or for ever.
#[cfg(target_os = "linux")]
const UNREAD: u32 = 30_000;

/// Has the system close a connection whose other end takes nothing more.
#[cfg(target_os = "linux")]
pub(crate) fn give_up_silent(connection: &dyn Any) {
    let Some(connection) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() else { return };
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(connection, UNREAD) {
        tracing::debug!(%error, "a connection has no bound for silence");
    }
}

/// Elsewhere the system's own bounds hold.
#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up_silent(_: &dyn Any) {}
