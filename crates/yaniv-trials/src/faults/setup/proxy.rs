//! TCP proxy between clients and an instance, which tampers with answers and connections.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::Error;
use crate::player::Random;

/// How to tamper.
#[derive(Clone, Debug)]
pub enum Meddling {
    /// Replayed answers get a blank as their last byte.
    Replays,
    /// Every other answer is dropped and its connection closed; counts them.
    Swallows(Arc<AtomicU64>),
    /// Connections are cut after some bytes of an answer, or some time.
    Cuts(Arc<Cutter>),
    /// Every answer gets a header with this number, such as one that depends on hidden cards.
    Header(Arc<AtomicU64>),
}

/// Cuts connections at random, while enabled.
#[derive(Debug)]
pub struct Cutter {
    /// Cuts so far.
    pub cuts: AtomicU64,
    on: AtomicBool,
    random: Mutex<Random>,
}

impl Cutter {
    /// An enabled cutter.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { cuts: AtomicU64::new(0), on: AtomicBool::new(true), random: Mutex::new(Random(seed)) }
    }

    /// Enables or disables it for later connections.
    pub fn turn(&self, on: bool) {
        self.on.store(on, Ordering::Release);
    }

    /// The number of bytes and the time after which the next connection is cut.
    fn draw(&self) -> Option<(usize, Duration)> {
        let mut random = self.random.lock().unwrap_or_else(PoisonError::into_inner);
        let time = Duration::from_millis(u64::try_from(random.below(400)).unwrap_or_default());
        let bytes = random.below(4000);
        self.on.load(Ordering::Acquire).then_some((bytes, time))
    }

    async fn turned_on(&self) {
        while !self.on.load(Ordering::Acquire) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Forwards bytes until the cut; counts the cut.
    async fn cut(&self, mut from: OwnedReadHalf, mut to: OwnedWriteHalf) {
        let Some((bytes, time)) = self.draw() else {
            tokio::select! {
                _ = copy(&mut from, &mut to) => {}
                () = self.turned_on() => { self.cuts.fetch_add(1, Ordering::Relaxed); }
            }
            return;
        };
        let mut some = from.take(u64::try_from(bytes).unwrap_or_default());
        let passed = tokio::time::timeout(time, copy(&mut some, &mut to)).await;
        // A connection that ended before was not cut.
        if !matches!(passed, Ok(Ok(passed)) if usize::try_from(passed).is_ok_and(|passed| passed < bytes)) {
            self.cuts.fetch_add(1, Ordering::Relaxed);
        }
    }
}

/// A proxy; stops when dropped.
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
                    // When either direction ends, so does the other.
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
    if let Meddling::Cuts(cutter) = meddling {
        return cutter.cut(from, to).await;
    }
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

/// Tampers with an answer. Answers are small: usually each is one read.
fn meddle(bytes: &[u8], meddling: &Meddling) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    match meddling {
        Meddling::Replays => {
            let marked = find(&bytes.to_ascii_lowercase(), b"idempotency-replayed: true").is_some();
            if let (true, Some(last)) = (marked, bytes.last_mut()) {
                *last = b' ';
            }
        }
        Meddling::Swallows(_) | Meddling::Cuts(_) => {}
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
