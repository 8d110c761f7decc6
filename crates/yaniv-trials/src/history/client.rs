//! HTTP client of one account, with one connection.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use serde_json::{Value, json};

use super::generate::PASSWORD;
use crate::Error;
use crate::load::wire::{Sent, Wire};

/// A client that has logged in.
pub struct Asker {
    address: SocketAddr,
    wire: Wire,
    headers: HeaderMap,
}

impl Asker {
    /// Logs in.
    ///
    /// # Errors
    /// If the service refuses.
    pub async fn log_in(address: SocketAddr, username: &str) -> Result<Self, Error> {
        let mut asker = Self { address, wire: Wire::new(address), headers: HeaderMap::new() };
        let body = json!({"username": username, "password": PASSWORD}).to_string();
        let sent = Sent {
            method: Method::POST,
            path: "/v1/sessions".parse()?,
            headers: HeaderMap::new(),
            body: Bytes::from(body),
        };
        let head = asker.wire.send(sent).await?;
        if head.status != 201 {
            return Err(format!("{username} cannot log in: {}", head.status).into());
        }
        let session: Value = serde_json::from_slice(&asker.wire.body)?;
        let token = session.get("access_token").and_then(Value::as_str).ok_or("no token")?;
        asker.headers.insert(AUTHORIZATION, HeaderValue::from_str(&format!("Bearer {token}"))?);
        Ok(asker)
    }

    /// Sends a request; returns how long the answer took. The answer is in `body` afterwards.
    ///
    /// # Errors
    /// If the answer is not 200.
    pub async fn get(&mut self, path: &str) -> Result<Duration, Error> {
        let (status, took) = self.ask(path).await?;
        if status == 200 { Ok(took) } else { Err(format!("{path}: {status}").into()) }
    }

    /// Sends a request; returns the status of the answer, and how long it took.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn ask(&mut self, path: &str) -> Result<(u16, Duration), Error> {
        let (mut begun, mut sent) = (Instant::now(), self.wire.send(self.asking(path)?).await);
        if sent.is_err() {
            // The service closes connections that were idle for long.
            self.wire = Wire::new(self.address);
            begun = Instant::now();
            sent = self.wire.send(self.asking(path)?).await;
        }
        Ok((sent?.status, begun.elapsed()))
    }

    fn asking(&self, path: &str) -> Result<Sent, Error> {
        let headers = self.headers.clone();
        Ok(Sent { method: Method::GET, path: path.parse()?, headers, body: Bytes::new() })
    }

    /// The last answer.
    ///
    /// # Errors
    /// If it is not JSON.
    pub fn json(&self) -> Result<Value, Error> {
        Ok(serde_json::from_slice(&self.wire.body)?)
    }

    /// The last answer, as bytes.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.wire.body
    }

    /// Its number of bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.wire.body.len()
    }
}
