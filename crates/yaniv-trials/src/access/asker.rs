//! HTTP client of a trial: one connection, a client address in `X-Forwarded-For`, and complete answers.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::Bytes;
use hyper::Method;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Value, json};

use crate::Error;
use crate::load::wire::{Sent, Wire};

/// The header with which a proxy names the client's address.
const FORWARDED: HeaderName = HeaderName::from_static("x-forwarded-for");
/// A connection idle for longer is not reused: the service closes idle connections.
const STALE: Duration = Duration::from_secs(2);
/// The password of every account.
pub const PASSWORD: &str = "correct horse battery";

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    /// Status code.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// From the request to the whole answer.
    pub took: Duration,
}

impl Reply {
    /// The body as JSON; null if it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// A field of the body; empty if it has none.
    #[must_use]
    pub fn text(&self, field: &str) -> String {
        self.json().get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// Status and code.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} {}", self.status, self.text("code")).trim_end().to_owned()
    }
}

/// An HTTP client.
pub struct Asker {
    address: SocketAddr,
    wire: Wire,
    used: Instant,
    /// The value of `X-Forwarded-For`; not sent if empty.
    pub forwarded: String,
}

impl Asker {
    /// A client of this instance.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self { address, wire: Wire::new(address), used: Instant::now(), forwarded: String::new() }
    }

    /// Sends a request and reads the answer.
    ///
    /// # Errors
    /// If there was no whole answer.
    pub async fn ask(
        &mut self,
        method: Method,
        path: &str,
        token: &str,
        body: Bytes,
    ) -> Result<Reply, Error> {
        let mut headers = HeaderMap::new();
        if !token.is_empty() {
            headers.insert(AUTHORIZATION, HeaderValue::try_from(format!("Bearer {token}"))?);
        }
        if !self.forwarded.is_empty() {
            headers.insert(FORWARDED, HeaderValue::try_from(&self.forwarded)?);
        }
        if self.used.elapsed() > STALE {
            self.wire = Wire::new(self.address);
        }
        let begun = Instant::now();
        let head = self.wire.send(Sent { method, path: path.parse()?, headers, body }).await?;
        let took = begun.elapsed();
        self.used = Instant::now();
        Ok(Reply { status: head.status, headers: head.headers, body: self.wire.body.clone(), took })
    }

    /// Sends a JSON object.
    ///
    /// # Errors
    /// As above.
    pub async fn post(&mut self, path: &str, body: &Value) -> Result<Reply, Error> {
        self.ask(Method::POST, path, "", Bytes::from(body.to_string())).await
    }

    /// Logs in, optionally from a known device.
    ///
    /// # Errors
    /// As above.
    pub async fn log_in(&mut self, name: &str, password: &str, device: Option<&str>) -> Result<Reply, Error> {
        let mut body = json!({"username": name, "password": password});
        if let (Some(device), Some(fields)) = (device, body.as_object_mut()) {
            fields.insert("device_token".to_owned(), json!(device));
        }
        self.post("/v1/sessions", &body).await
    }

    /// Registers an account; the status must be 201.
    ///
    /// # Errors
    /// If it is not.
    pub async fn register(&mut self, name: &str) -> Result<Reply, Error> {
        let reply = self.post("/v1/accounts", &json!({"username": name, "password": PASSWORD})).await?;
        if reply.status == 201 { Ok(reply) } else { Err(format!("registering: {}", reply.name()).into()) }
    }
}
