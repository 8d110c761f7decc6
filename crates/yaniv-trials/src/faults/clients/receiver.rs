//! Webhook receivers that fail in every way.
//!
//! They answer with errors, hang, or close the connection after receiving everything. Acknowledged notifications are
//! passed on; received ones are recorded.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};

use crate::Error;
use crate::player::Random;

/// Failures per notification, at most: a notification is given up after eleven tries, which take three days.
const MOST_FAILURES: usize = 5;

/// An acknowledged notification.
#[derive(Clone, Debug)]
pub struct Heard {
    /// The recipient.
    pub username: String,
    /// The match.
    pub match_id: String,
}

/// State shared by all receivers of a trial.
#[derive(Default)]
pub struct Ears {
    /// From now on they work.
    pub well: AtomicBool,
    /// Notifications that were received and not acknowledged.
    pub failed: AtomicUsize,
    /// All that were received.
    pub received: AtomicUsize,
    /// Signals that one was received and is not acknowledged yet.
    pub receiving: Notify,
    heard: Mutex<HashMap<String, HashSet<String>>>,
    tries: Mutex<HashMap<String, usize>>,
}

impl Ears {
    /// Events received, each with its notification identifiers.
    #[must_use]
    pub fn heard(&self) -> HashMap<String, HashSet<String>> {
        hold(&self.heard).clone()
    }

    /// Begins to listen; returns the address and the acknowledged notifications.
    ///
    /// # Errors
    /// If there is no free port.
    pub async fn listen(
        self: &Arc<Self>,
        seed: u64,
    ) -> Result<(SocketAddr, mpsc::UnboundedReceiver<Heard>), Error> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let (sender, heard) = mpsc::unbounded_channel();
        let ears = Arc::clone(self);
        tokio::spawn(async move {
            let mut random = Random(seed);
            while let Ok((stream, _)) = listener.accept().await {
                let (ears, sender, random) = (Arc::clone(&ears), sender.clone(), Random(random.next()));
                tokio::spawn(async move {
                    // Broken connections are intended here.
                    let _ = ears.serve(stream, random, &sender).await;
                });
            }
        });
        Ok((address, heard))
    }

    async fn serve(
        &self,
        mut stream: TcpStream,
        mut random: Random,
        sender: &mpsc::UnboundedSender<Heard>,
    ) -> Result<(), Error> {
        while let Some((id, body)) = read(&mut stream).await? {
            self.received.fetch_add(1, Ordering::Relaxed);
            let event: Value = serde_json::from_slice(&body)?;
            let text = |pointer: &str| event.pointer(pointer).map(Value::to_string).unwrap_or_default();
            let named = |pointer: &str| text(pointer).trim_matches('"').to_owned();
            let key = ["/type", "/data/username", "/data/match_id", "/data/version"].map(text).join(" ");
            hold(&self.heard).entry(key).or_default().insert(id.clone());
            self.receiving.notify_one();
            let tries = {
                let mut tries = hold(&self.tries);
                let count = tries.entry(id).or_default();
                *count += 1;
                *count
            };
            let luck = if self.well.load(Ordering::Relaxed) || tries > MOST_FAILURES {
                100
            } else {
                random.below(100)
            };
            if luck < 60 {
                self.failed.fetch_add(1, Ordering::Relaxed);
            }
            match luck {
                // Hangs for longer than the sender's timeout.
                0..3 => tokio::time::sleep(Duration::from_secs(20)).await,
                // Closes after receiving everything.
                3..25 => return Ok(()),
                25..35 => tokio::time::sleep(Duration::from_millis(300)).await,
                _ => {}
            }
            let status = match luck {
                0..45 => 500,
                45..52 => 404,
                52..60 => 302,
                _ => 204,
            };
            let answer = format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await?;
            if status == 204 {
                // The receiving end may be gone.
                let heard = Heard { username: named("/data/username"), match_id: named("/data/match_id") };
                let _ = sender.send(heard);
            }
        }
        Ok(())
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The next request: its `webhook-id` and its body.
async fn read(stream: &mut TcpStream) -> Result<Option<(String, Vec<u8>)>, Error> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    };
    let mut body = bytes.split_off(end.saturating_add(4));
    let head = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    let header = |name: &str| {
        let found = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_default().to_owned()
    };
    let length: usize = header("content-length").parse()?;
    while body.len() < length {
        if stream.read_buf(&mut body).await? == 0 {
            return Ok(None);
        }
    }
    Ok(Some((header("webhook-id"), body)))
}
