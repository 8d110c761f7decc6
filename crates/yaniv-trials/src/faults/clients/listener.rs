//! Clients that follow matches through each feed, reconnect when cut off, and keep what they received.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Empty};
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper::header::{AUTHORIZATION, HOST};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

use crate::Error;
use crate::player::{Line, Lost, Request};

/// Pause before a client comes back.
const PAUSE: Duration = Duration::from_millis(5);

/// The feed that a client follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `listMatchEvents`.
    Events,
    /// `streamMatchEvents`.
    Stream,
    /// `listEvents`.
    Account,
    /// `streamEvents`.
    AccountStream,
}

/// What a client received.
#[derive(Debug, Default)]
pub struct Heard {
    /// Entries by match, in the order received.
    pub logs: HashMap<String, Vec<Value>>,
    /// How often an entry was skipped.
    pub gaps: usize,
    /// How often an entry was received again.
    pub twice: usize,
    /// Where to resume an inbox.
    cursor: Option<String>,
    /// Unexpected answers.
    pub refused: Vec<String>,
}

impl Heard {
    fn hear(&mut self, match_id: &str, entry: Value) {
        let log = self.logs.entry(match_id.to_owned()).or_default();
        let version =
            entry.get("version").and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok());
        let known = log.last().and_then(|last| last.get("version")?.as_u64()).unwrap_or_default();
        match version.unwrap_or_default().checked_sub(usize::try_from(known).unwrap_or_default()) {
            None | Some(0) => self.twice += 1,
            Some(1) => log.push(entry),
            Some(_) => {
                self.gaps += 1;
                log.push(entry);
            }
        }
    }

    fn last(&self, match_id: &str) -> u64 {
        let last = self.logs.get(match_id).and_then(|log| log.last());
        last.and_then(|last| last.get("version")?.as_u64()).unwrap_or_default()
    }
}

/// A listening client, until dropped.
#[derive(Debug)]
pub struct Listener {
    /// The feed.
    pub door: Door,
    heard: Arc<Mutex<Heard>>,
    task: JoinHandle<()>,
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Listener {
    /// Begins to listen, alternating between the addresses. An inbox begins with new events; `match_id` is for the
    /// other feeds.
    #[must_use]
    pub fn start(door: Door, addresses: Vec<SocketAddr>, token: String, match_id: String) -> Self {
        let heard = Arc::<Mutex<Heard>>::default();
        let ear = Ear { door, token, match_id, heard: Arc::clone(&heard) };
        let task = tokio::spawn(async move {
            for address in addresses.iter().cycle() {
                // What was received before the cut counts; the rest is sent again.
                let _ = ear.listen(*address).await;
                tokio::time::sleep(PAUSE).await;
            }
        });
        Self { door, heard, task }
    }

    /// What it has received so far.
    pub fn heard(&self) -> MutexGuard<'_, Heard> {
        hold(&self.heard)
    }

    /// Whether an inbox has a cursor to resume from.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.heard().cursor.is_some()
    }
}

struct Ear {
    door: Door,
    token: String,
    match_id: String,
    heard: Arc<Mutex<Heard>>,
}

impl Ear {
    /// One connection, until it ends.
    async fn listen(&self, address: SocketAddr) -> Result<(), Error> {
        match self.door {
            Door::Events | Door::Account => {
                let mut line = Line::new(address);
                loop {
                    self.ask(&mut line).await?;
                }
            }
            Door::Stream => {
                self.follow(address, &format!("/v1/matches/{}/events/stream", self.match_id)).await
            }
            Door::AccountStream => {
                if hold(&self.heard).cursor.is_none() {
                    // A stream that begins with new events has no cursor before the first event.
                    return self.begin(&mut Line::new(address)).await;
                }
                self.follow(address, "/v1/events/stream").await
            }
        }
    }

    async fn get(&self, line: &mut Line, path: &str) -> Result<Value, Error> {
        let request = Request { path, token: &self.token, ..Request::default() };
        let answer = line.send(&request).await.map_err(|Lost(error)| error)?;
        let body: Value = serde_json::from_slice(&answer.body)?;
        if answer.status != 200 {
            hold(&self.heard).refused.push(format!("GET {path}: {body}"));
            return Err("refused".into());
        }
        Ok(body)
    }

    async fn begin(&self, line: &mut Line) -> Result<(), Error> {
        let page = self.get(line, "/v1/events?after=now&wait=0").await?;
        self.take_cursor(&page);
        Ok(())
    }

    async fn ask(&self, line: &mut Line) -> Result<(), Error> {
        let (path, inbox) = {
            let heard = hold(&self.heard);
            match (self.door, &heard.cursor) {
                (Door::Account, None) => ("/v1/events?after=now&wait=0".to_owned(), true),
                (Door::Account, Some(cursor)) => (format!("/v1/events?after={cursor}&wait=5&limit=7"), true),
                _ => {
                    let (id, last) = (&self.match_id, heard.last(&self.match_id));
                    (format!("/v1/matches/{id}/events?after={last}&wait=5&limit=7"), false)
                }
            }
        };
        let page = self.get(line, &path).await?;
        for item in page.get("items").and_then(Value::as_array).into_iter().flatten() {
            if inbox {
                self.hear_event(item);
            } else {
                hold(&self.heard).hear(&self.match_id, item.clone());
            }
        }
        self.take_cursor(&page);
        Ok(())
    }

    fn take_cursor(&self, page: &Value) {
        if let Some(cursor) = page.get("cursor").and_then(Value::as_str) {
            hold(&self.heard).cursor = Some(cursor.to_owned());
        }
    }

    fn hear_event(&self, event: &Value) {
        let found = event.get("match_id").and_then(Value::as_str).zip(event.get("entry"));
        if let Some((match_id, entry)) = found {
            hold(&self.heard).hear(match_id, entry.clone());
        }
    }

    /// Reads a stream until it ends or is cut.
    async fn follow(&self, address: SocketAddr, path: &str) -> Result<(), Error> {
        let last = {
            let heard = hold(&self.heard);
            if self.door == Door::Stream {
                heard.last(&self.match_id).to_string()
            } else {
                heard.cursor.clone().unwrap_or_default()
            }
        };
        let mut body = open(address, path, &self.token, &last).await?;
        let mut text = Vec::new();
        while let Some(frame) = body.frame().await {
            text.extend_from_slice(frame?.data_ref().map(AsRef::as_ref).unwrap_or_default());
            while let Some(end) = text.windows(2).position(|two| two == b"\n\n") {
                let block: Vec<u8> = text.drain(..end + 2).collect();
                self.hear_block(std::str::from_utf8(&block)?)?;
            }
        }
        Ok(())
    }

    fn hear_block(&self, block: &str) -> Result<(), Error> {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        let Some((id, data)) = field("id: ").zip(field("data: ")) else { return Ok(()) };
        let data: Value = serde_json::from_str(data)?;
        if self.door == Door::Stream {
            hold(&self.heard).hear(&self.match_id, data);
        } else {
            self.hear_event(&data);
            hold(&self.heard).cursor = Some(id.to_owned());
        }
        Ok(())
    }
}

async fn open(address: SocketAddr, path: &str, token: &str, last: &str) -> Result<Incoming, Error> {
    let stream = TcpStream::connect(address).await?;
    let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let request = hyper::Request::builder()
        .uri(path)
        .header(HOST, "localhost")
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header("last-event-id", last)
        .body(Empty::<Bytes>::new())?;
    let response = sender.send_request(request).await?;
    if response.status() != 200 {
        return Err(format!("{path} is answered {}", response.status()).into());
    }
    Ok(response.into_body())
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
