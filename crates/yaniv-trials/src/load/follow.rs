//! A stream of the events of a match.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{AUTHORIZATION, HOST, HeaderValue};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::Error;

/// Timeout for an event.
const LATE: Duration = Duration::from_secs(5);

/// An open stream.
pub struct Follower {
    body: Incoming,
    /// What was received after the last complete line.
    line: Vec<u8>,
    /// Version of the newest event.
    version: i32,
}

impl Follower {
    /// Opens the stream of future events of a match.
    ///
    /// # Errors
    /// If the service refuses.
    pub async fn open(address: SocketAddr, path: Uri, authorization: HeaderValue) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::task::spawn_local(connection);
        let request = Request::get(path)
            .header(HOST, "localhost")
            .header(AUTHORIZATION, authorization)
            .body(Empty::<Bytes>::new())?;
        let answer = sender.send_request(request).await?;
        if answer.status() != 200 {
            return Err(format!("stream: {}", answer.status()).into());
        }
        Ok(Self { body: answer.into_body(), line: Vec::new(), version: 0 })
    }

    /// Waits for the event of this version.
    ///
    /// # Errors
    /// If the stream ends, or the event does not come.
    pub async fn wait_for(&mut self, version: i32) -> Result<(), Error> {
        let reading = async {
            while self.version < version {
                let frame = self.body.frame().await.ok_or("the stream has ended")??;
                for byte in frame.data_ref().into_iter().flatten().copied() {
                    if byte != b'\n' {
                        self.line.push(byte);
                        continue;
                    }
                    let line = String::from_utf8(std::mem::take(&mut self.line))?;
                    if let Some(id) = line.strip_prefix("id: ") {
                        self.version = id.parse()?;
                    }
                }
            }
            Ok(())
        };
        tokio::time::timeout(LATE, reading).await.map_err(|_| "no event in 5 seconds")?
    }
}
