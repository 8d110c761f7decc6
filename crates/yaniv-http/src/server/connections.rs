//! Limits of connections. Each connection is a file descriptor, of which a process may have few by default, so the
//! limit is raised. Connections beyond it wait in the kernel's backlog.

use std::any::Any;

/// File descriptors for other purposes: database, log, runtime.
const OTHER_FILES: usize = 256;

/// The number of connections to accept: `wanted`, or fewer if the limit of open files is lower.
#[must_use]
pub fn at_most(wanted: usize) -> usize {
    let Some(files) = raise_limit_of_files() else { return wanted };
    let allowed = files.saturating_sub(OTHER_FILES).max(64);
    if allowed < wanted {
        tracing::warn!(
            allowed,
            wanted,
            "the limit of open files is lower than the configured number of connections"
        );
    }
    wanted.min(allowed)
}

/// Raises the limit of open files to the hard limit. Returns the limit; `None` if there is none.
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

/// How long sent data may stay unacknowledged, in milliseconds. Otherwise a client that has vanished, or no longer
/// reads, would hold a stream for a quarter of an hour or forever.
#[cfg(target_os = "linux")]
const UNREAD: u32 = 30_000;

/// Sets `TCP_USER_TIMEOUT`: the kernel closes a connection whose peer no longer takes data.
#[cfg(target_os = "linux")]
pub(crate) fn give_up_silent(connection: &dyn Any) {
    let Some(connection) = connection.downcast_ref::<actix_web::rt::net::TcpStream>() else { return };
    if let Err(error) = rustix::net::sockopt::set_tcp_user_timeout(connection, UNREAD) {
        tracing::debug!(%error, "cannot set TCP_USER_TIMEOUT on a connection");
    }
}

/// On other systems the kernel's own timeouts apply.
#[cfg(not(target_os = "linux"))]
pub(crate) fn give_up_silent(_: &dyn Any) {}
