//! Between the clients and an instance: passes everything on, and meddles with it as a broken service would.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::Error;

/// How to meddle.
#[derive(Clone, Debug)]
pub enum Meddling {
    /// Repeated answers lose their last byte to a blank.
    Replays,
    /// Every other answer is swallowed, and its connection closed; counts them.
    Swallows(Arc<AtomicU64>),
    /// Every answer gets a header with what is in this number: of hidden cards, say.
    Header(Arc<AtomicU64>),
}

/// A proxy; it ends with this value.
#[derive(Debug)]
pub struct Proxy {
    /// Where clients connect.
    pub address: SocketAddr,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Starts a proxy for an instance.
    ///
    /// # Errors
    /// If there is no port.
    pub fn start(runtime: &Runtime, instance: SocketAddr, meddling: Meddling) -> Result<Self, Error> {
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let task = runtime.spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let meddling = meddling.clone();
                tokio::spawn(async move {
                    let Ok(server) = TcpStream::connect(instance).await else { return };
                    let ((mut from_client, to_client), (from_server, mut to_server)) =
                        (client.into_split(), server.into_split());
                    let requests = async move { copy(&mut from_client, &mut to_server).await };
                    // Whoever of the two ends first ends the other.
                    tokio::select! {
                        _ = requests => {}
                        () = answers(from_server, to_client, &meddling) => {}
                    }
                });
            }
        });
        Ok(Self { address, task })
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, meddling: &Meddling) {
    let mut buffer = vec![0; 1 << 18];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        let bytes = buffer.get(..read).unwrap_or_default();
        if let Meddling::Swallows(answers) = meddling
            && answers.fetch_add(1, Ordering::Relaxed).is_multiple_of(2)
        {
            return;
        }
        if to.write_all(&meddle(bytes, meddling)).await.is_err() {
            return;
        }
    }
}

/// Answers are small: each comes in one piece, mostly.
fn meddle(bytes: &[u8], meddling: &Meddling) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    match meddling {
        Meddling::Replays => {
            let marked = find(&bytes.to_ascii_lowercase(), b"idempotency-replayed: true").is_some();
            if let (true, Some(last)) = (marked, bytes.last_mut()) {
                *last = b' ';
            }
        }
        Meddling::Swallows(_) => {}
        Meddling::Header(number) => {
            if let (true, Some(end)) = (bytes.starts_with(b"HTTP/1.1 "), find(&bytes, b"\r\n")) {
                let header = format!("\r\nx-trace: {:016x}", number.load(Ordering::Relaxed));
                bytes.splice(end..end, header.into_bytes());
            }
        }
    }
    bytes
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
