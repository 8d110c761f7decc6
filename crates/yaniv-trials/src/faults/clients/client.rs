//! A player's HTTP client that retries.
//!
//! It alternates between the addresses of all instances, logs in again when its token has expired, and retries a write
//! with the same key until the answer is final.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::op::{End, Op};
use crate::player::{Answer, Line, Lost, Request};

/// Timeout of one answer; the service itself answers within twelve seconds.
const ANSWER: Duration = Duration::from_secs(15);
/// Pause before a retry.
const PAUSE: Duration = Duration::from_millis(10);

/// A player.
#[derive(Debug)]
pub struct Client {
    /// Name to log in with.
    pub username: String,
    /// Password.
    pub password: String,
    /// Identifier of the account.
    pub account: String,
    /// Access token.
    pub token: String,
    /// How long to retry a write before its outcome counts as unknown.
    pub patience: Duration,
    lines: Vec<Line>,
    turn: usize,
}

impl Client {
    /// Registers an account, or logs in if the name is taken.
    ///
    /// # Errors
    /// If no instance accepts it.
    pub async fn register(addresses: &[SocketAddr], username: &str, password: &str) -> Result<Self, Error> {
        let lines = addresses.iter().map(|address| Line::new(*address)).collect();
        let mut client = Self {
            username: username.to_owned(),
            password: password.to_owned(),
            account: String::new(),
            token: String::new(),
            patience: Duration::from_secs(60),
            lines,
            turn: 0,
        };
        if client.enter("/v1/accounts").await? == 409 {
            client.log_in().await?;
        }
        Ok(client)
    }

    /// The same player on separate connections.
    #[must_use]
    pub fn twin(&self) -> Self {
        Self {
            username: self.username.clone(),
            password: self.password.clone(),
            account: self.account.clone(),
            token: self.token.clone(),
            patience: self.patience,
            lines: self.lines.iter().map(Line::twin).collect(),
            turn: self.turn,
        }
    }

    /// Gets a fresh token.
    ///
    /// # Errors
    /// If no instance gives one.
    pub async fn log_in(&mut self) -> Result<(), Error> {
        match self.enter("/v1/sessions").await? {
            201 => Ok(()),
            status => Err(format!("{} cannot log in: {status}", self.username).into()),
        }
    }

    /// Sends a request to an instance, without retry.
    ///
    /// # Errors
    /// [`Lost`] if no complete answer came in time.
    pub async fn send_to(&mut self, instance: usize, request: &Request<'_>) -> Result<Answer, Lost> {
        let line = self.lines.get_mut(instance).ok_or_else(|| Lost("no such instance".to_owned()))?;
        send(line, request).await
    }

    /// Reads, with retries until an answer is not a server error.
    ///
    /// # Errors
    /// If there is none for a long time.
    pub async fn read(&mut self, path: &str) -> Result<Answer, Error> {
        let begun = Instant::now();
        loop {
            let token = self.token.clone();
            let instance = self.next_instance();
            let request = Request { path, token: &token, ..Request::default() };
            let last = match self.send_to(instance, &request).await {
                Ok(answer) if answer.status == 401 => {
                    self.log_in().await?;
                    continue;
                }
                Ok(answer) if answer.status < 500 => return Ok(answer),
                Ok(answer) => String::from_utf8_lossy(&answer.body).into_owned(),
                Err(Lost(error)) => error,
            };
            if begun.elapsed() > self.patience {
                return Err(format!("GET {path} is not answered: {last}").into());
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Retries a write until the answer is final; when patience ends, its outcome stays unknown.
    ///
    /// # Errors
    /// If the client cannot log in any more.
    pub async fn settle(&mut self, op: &mut Op) -> Result<(), Error> {
        let begun = Instant::now();
        while matches!(op.end, End::Open) && begun.elapsed() < self.patience {
            let instance = self.next_instance();
            if !self.once(instance, op).await? {
                tokio::time::sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    /// Sends a write once; returns whether the answer was final.
    ///
    /// # Errors
    /// If the client cannot log in any more.
    pub async fn once(&mut self, instance: usize, op: &mut Op) -> Result<bool, Error> {
        let token = self.token.clone();
        match self.send_to(instance, &op.request(&token)).await {
            Ok(answer) if answer.status == 401 => {
                self.log_in().await?;
                Ok(false)
            }
            Ok(answer) => Ok(op.take(answer)),
            Err(Lost(error)) => {
                // A refused connection cannot have had an effect.
                op.unknown += usize::from(!error.contains("onnection refused"));
                Ok(false)
            }
        }
    }

    /// Sends the same write to two instances at the same time.
    pub async fn twins(&mut self, op: &Op) -> [Result<Answer, Lost>; 2] {
        let request = op.request(&self.token);
        match self.lines.as_mut_slice() {
            [first, second, ..] => {
                let (first, second) = tokio::join!(send(first, &request), send(second, &request));
                [first, second]
            }
            _ => [Err(Lost("no twins".to_owned())), Err(Lost("no twins".to_owned()))],
        }
    }

    /// The next instance, round-robin.
    pub fn next_instance(&mut self) -> usize {
        self.turn = (self.turn + 1) % self.lines.len().max(1);
        self.turn
    }

    async fn enter(&mut self, path: &str) -> Result<u16, Error> {
        let begun = Instant::now();
        let body = Bytes::from(json!({"username": self.username, "password": self.password}).to_string());
        loop {
            let request = Request { method: "POST", path, body: Some(body.clone()), ..Request::default() };
            let instance = self.next_instance();
            match self.send_to(instance, &request).await {
                Ok(answer) if answer.status < 500 => {
                    self.take_session(&answer);
                    return Ok(answer.status);
                }
                Ok(_) | Err(_) if begun.elapsed() < self.patience => tokio::time::sleep(PAUSE).await,
                Ok(answer) => return Err(format!("POST {path} is answered {}", answer.status).into()),
                Err(Lost(error)) => return Err(format!("POST {path} is not answered: {error}").into()),
            }
        }
    }

    fn take_session(&mut self, answer: &Answer) {
        let Ok(session) = serde_json::from_slice::<Value>(&answer.body) else { return };
        let text = |pointer: &str| session.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        if let (Some(token), Some(account)) = (text("/access_token"), text("/account/account_id")) {
            self.token = token;
            self.account = account;
        }
    }
}

async fn send(line: &mut Line, request: &Request<'_>) -> Result<Answer, Lost> {
    // A timeout drops the connection, too.
    let answer = tokio::time::timeout(ANSWER, line.send(request)).await;
    answer.unwrap_or_else(|_| Err(Lost(format!("no answer in {ANSWER:?}"))))
}
