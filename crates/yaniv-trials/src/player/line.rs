//! An HTTP/1.1 keep-alive connection, as of a phone: opened on demand, reopened when lost.

use std::net::SocketAddr;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, ETAG, HOST, HeaderMap, IF_NONE_MATCH};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// No answer came: whether the request took effect is not known.
#[derive(Debug)]
pub struct Lost(pub String);

/// A request.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// `GET`, `POST`, …; `GET` if empty.
    pub method: &'a str,
    /// The path, from `/v1` on.
    pub path: &'a str,
    /// Access token; none if empty.
    pub token: &'a str,
    /// `Idempotency-Key`.
    pub key: Option<&'a str>,
    /// `If-None-Match`.
    pub tag: Option<&'a str>,
    /// JSON.
    pub body: Option<Bytes>,
}

/// A complete answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Status code.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
    /// The body as it came.
    pub body: Bytes,
}

impl Answer {
    /// A header as text; empty if there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The tag for a later `If-None-Match`.
    #[must_use]
    pub fn tag(&self) -> &str {
        self.header(ETAG.as_str())
    }

    /// Whether this is the replayed answer to a write already done with this key.
    #[must_use]
    pub fn replayed(&self) -> bool {
        self.header("idempotency-replayed") == "true"
    }
}

/// A connection to an instance.
#[derive(Debug)]
pub struct Line {
    address: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Line {
    /// A connection to an address, opened with the first request.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self { address, sender: None }
    }

    /// Another connection to the same address.
    #[must_use]
    pub fn twin(&self) -> Self {
        Self::new(self.address)
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// [`Lost`] if the connection failed; the next request opens another.
    pub async fn send(&mut self, request: &Request<'_>) -> Result<Answer, Lost> {
        let sent = self.try_send(request).await;
        if sent.is_err() {
            self.sender = None;
        }
        sent.map_err(|error| Lost(error.to_string()))
    }

    async fn try_send(&mut self, request: &Request<'_>) -> Result<Answer, crate::Error> {
        let mut sender = match self.kept().await {
            Some(sender) => sender,
            None => self.open().await?,
        };
        let mut builder = hyper::Request::builder()
            .method(if request.method.is_empty() { "GET" } else { request.method })
            .uri(request.path)
            .header(HOST, "localhost");
        if !request.token.is_empty() {
            builder = builder.header(AUTHORIZATION, format!("Bearer {}", request.token));
        }
        if let Some(key) = request.key {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(tag) = request.tag {
            builder = builder.header(IF_NONE_MATCH, tag);
        }
        if request.body.is_some() {
            builder = builder.header(CONTENT_TYPE, "application/json");
        }
        let body = Full::new(request.body.clone().unwrap_or_default());
        let response = sender.send_request(builder.body(body)?).await?;
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        self.sender = Some(sender);
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }

    /// The connection of the last request, unless closed since.
    async fn kept(&mut self) -> Option<SendRequest<Full<Bytes>>> {
        let mut sender = self.sender.take()?;
        sender.ready().await.ok()?;
        Some(sender)
    }

    async fn open(&self) -> Result<SendRequest<Full<Bytes>>, crate::Error> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (mut sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        sender.ready().await?;
        Ok(sender)
    }
}
