//! One write that a client wants: what it asks for, what the log has to say of it, and how it ended. As in Jepsen,
//! every send ends `ok`, `fail` or `info`: no answer, or one that does not tell.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use bytes::Bytes;
use serde_json::Value;

use crate::player::{Answer, Request, Wish};

/// How a write ended.
#[derive(Clone, Debug)]
pub enum End {
    /// Not known: it may have happened once, or not at all.
    Open,
    /// Acknowledged.
    Ok {
        /// The version that it made.
        version: i32,
        /// The whole answer, for comparison.
        answer: Answer,
    },
    /// Refused for good: status and code.
    Refused(u16, String),
}

/// A write.
#[derive(Clone, Debug)]
pub struct Op {
    /// The match; empty as long as it is not created.
    pub match_id: String,
    /// Which client of its table wants it.
    pub player: usize,
    /// The account of that client.
    pub account: String,
    /// From `/v1` on.
    pub path: String,
    /// JSON.
    pub body: Bytes,
    /// `Idempotency-Key`.
    pub key: String,
    /// What kind of entry the log has to have: `joined`, `started`, `action`.
    pub kind: &'static str,
    /// What that entry has to say.
    pub detail: String,
    /// Sends that left it open.
    pub unknown: usize,
    /// Answers that were failures: status and code.
    pub failures: Vec<String>,
    /// When it was wanted.
    pub begun: Instant,
    /// When it was acknowledged.
    pub ended: Option<Instant>,
    /// How it ended.
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

    /// A write with a fresh key. `says` is the kind and the detail of its log entry.
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

    /// The request, as it is sent each time.
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

    /// The request as it goes over the wire, for clients that send only a part of it.
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

    /// Takes an answer in, if it is final; says whether it was.
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

/// A key that nobody else uses in this run.
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

/// How the log writes an action: the notation of `docs/rules.md`.
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
