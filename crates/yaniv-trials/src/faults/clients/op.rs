//! One write of a client: the request, the expected log entry, and the outcome. As in Jepsen, the outcome of each send
//! is `ok`, `fail` or `info` (unknown: no answer, or an inconclusive one).

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytes::Bytes;
use serde_json::Value;

use crate::player::{Answer, Request, Wish};

/// The outcome of a write.
#[derive(Clone, Debug)]
pub enum End {
    /// Unknown: it may have happened once, or not at all.
    Open,
    /// Acknowledged.
    Ok {
        /// The version that it created.
        version: i32,
        /// The whole answer, for comparison.
        answer: Answer,
    },
    /// Refused, finally: status and code.
    Refused(u16, String),
}

/// A write.
#[derive(Clone, Debug)]
pub struct Op {
    /// The match; empty until it is created.
    pub match_id: String,
    /// Index of the player in its group.
    pub player: usize,
    /// The player's account.
    pub account: String,
    /// From `/v1` on.
    pub path: String,
    /// JSON.
    pub body: Bytes,
    /// `Idempotency-Key`.
    pub key: String,
    /// The kind of the expected log entry: `joined`, `started`, `action`.
    pub kind: &'static str,
    /// The detail of the expected entry.
    pub detail: String,
    /// Sends with an unknown outcome.
    pub unknown: usize,
    /// Answers with a server error: status and code.
    pub failures: Vec<String>,
    /// When it was first sent.
    pub begun: Instant,
    /// When it was acknowledged.
    pub ended: Option<Instant>,
    /// The outcome.
    pub end: End,
}

impl Op {
    /// An action of a player at a match.
    #[must_use]
    pub fn action(match_id: &str, player: usize, account: &str, wish: &Wish) -> Self {
        let detail = notation(wish);
        let path = format!("/v1/matches/{match_id}/{}", wish.operation);
        Self::new(match_id, player, account, path, &wish.body, ("action", detail))
    }

    /// A write with a fresh key. `says` is the kind and the detail of the expected log entry.
    #[must_use]
    pub fn new(
        match_id: &str,
        player: usize,
        account: &str,
        path: String,
        body: &Value,
        says: (&'static str, String),
    ) -> Self {
        let body = Bytes::from(body.to_string());
        let (kind, detail) = says;
        Self {
            match_id: match_id.to_owned(),
            player,
            account: account.to_owned(),
            path,
            body,
            key: new_key(),
            kind,
            detail,
            unknown: 0,
            failures: Vec::new(),
            begun: Instant::now(),
            ended: None,
            end: End::Open,
        }
    }

    /// The request, the same for each send.
    #[must_use]
    pub fn request<'a>(&'a self, token: &'a str) -> Request<'a> {
        Request {
            method: "POST",
            path: &self.path,
            token,
            key: Some(&self.key),
            tag: None,
            body: Some(self.body.clone()),
        }
    }

    /// The request's bytes on the wire, for clients that send only a part of it.
    #[must_use]
    pub fn wire(&self, token: &str) -> Vec<u8> {
        let mut bytes = format!(
            "POST {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nIdempotency-Key: {}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.path,
            self.key,
            self.body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }

    /// Takes over an answer, if it is final; returns whether it was.
    pub fn take(&mut self, answer: Answer) -> bool {
        match answer.status {
            200..=299 => {
                let version = version(&answer.body);
                self.ended = Some(Instant::now());
                self.end = End::Ok { version, answer };
            }
            401 | 408 | 429 | 500.. => {
                self.unknown += 1;
                self.failures.push(format!("{} {}", answer.status, code(&answer.body)));
                return false;
            }
            status => self.end = End::Refused(status, code(&answer.body)),
        }
        true
    }
}

/// A key that is unique in this run.
#[must_use]
pub fn new_key() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("trialkey-{:08x}-{:010}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The version in the body of an answer; 0 if there is none.
#[must_use]
pub fn version(body: &[u8]) -> i32 {
    #[derive(serde::Deserialize)]
    struct Version {
        version: i32,
    }
    serde_json::from_slice::<Version>(body).map_or(0, |body| body.version)
}

/// The code in the body of a problem.
#[must_use]
pub fn code(body: &[u8]) -> String {
    #[derive(serde::Deserialize)]
    struct Code {
        code: String,
    }
    serde_json::from_slice::<Code>(body).map_or_else(|_| "no code".to_owned(), |body| body.code)
}

/// An action as the log writes it: the notation of `docs/rules.md`.
fn notation(wish: &Wish) -> String {
    let text = |name: &str| wish.body.get(name).and_then(Value::as_str).unwrap_or_default();
    match wish.operation {
        "plays" => {
            let cards = wish.body.get("cards").and_then(Value::as_array);
            let cards: String = cards.into_iter().flatten().filter_map(Value::as_str).collect();
            let draw = match text("draw_from") {
                "stock" => "#",
                "pile" => text("draw_card"),
                _ => "-",
            };
            format!("{cards}+{draw}")
        }
        "calls" => "call".to_owned(),
        "passes" => "pass".to_owned(),
        "resignations" => "resign".to_owned(),
        _ => text("answer").to_owned(),
    }
}
