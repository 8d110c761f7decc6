//! Slow connections (slowloris): the start of a request, then a few bytes every second.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::Error;

/// Interval between two writes.
const DROP_EVERY: Duration = Duration::from_secs(1);
/// How long a connection is watched.
const WATCHED: Duration = Duration::from_secs(30);
/// Connections that are opened per 10 ms.
const BURST: usize = 50;

/// What a slow connection sends.
#[derive(Clone, Copy)]
pub struct Slow {
    /// Sent at once.
    pub begin: &'static str,
    /// Sent every second after that.
    pub drop_of: &'static str,
}

/// Headers that never end.
pub const HEADERS: Slow = Slow { begin: "POST /v1/sessions HTTP/1.1\r\nHost: x\r\n", drop_of: "x: y\r\n" };
/// A body that never ends.
pub const BODY: Slow = Slow {
    begin: "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
            Content-Length: 16000\r\n\r\n{",
    drop_of: " ",
};
/// The same in chunks, to an operation that does not read the body.
pub const CHUNKS: Slow = Slow {
    begin: "POST /v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n\
            Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
    drop_of: "1\r\n \r\n",
};

/// The result of many slow connections.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ended {
    /// Connections closed by the service.
    pub closed: usize,
    /// Connections that could not be opened, or were still open at the end.
    pub open: usize,
    /// The longest time that one was open.
    pub longest: Duration,
}

/// Opens this many, and waits until all are closed.
///
/// # Errors
/// If a task of the trial dies.
pub async fn open_many(address: SocketAddr, count: usize, slow: Slow) -> Result<Ended, Error> {
    let mut tasks = tokio::task::JoinSet::new();
    for at in 0..count {
        if at % BURST == 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        tasks.spawn(one(address, slow));
    }
    let mut ended = Ended::default();
    while let Some(lived) = tasks.join_next().await {
        match lived? {
            Some(lived) => {
                ended.closed += 1;
                ended.longest = ended.longest.max(lived);
            }
            None => ended.open += 1,
        }
    }
    Ok(ended)
}

/// How long it was open, if the service closed it.
async fn one(address: SocketAddr, slow: Slow) -> Option<Duration> {
    let mut stream = TcpStream::connect(address).await.ok()?;
    let begun = Instant::now();
    stream.write_all(slow.begin.as_bytes()).await.ok()?;
    let mut buffer = [0; 512];
    while begun.elapsed() < WATCHED {
        match tokio::time::timeout(DROP_EVERY, stream.read(&mut buffer)).await {
            Ok(Ok(0) | Err(_)) => return Some(begun.elapsed()),
            Ok(Ok(_)) => {}
            Err(_) if stream.write_all(slow.drop_of.as_bytes()).await.is_err() => {
                return Some(begun.elapsed());
            }
            Err(_) => {}
        }
    }
    None
}
