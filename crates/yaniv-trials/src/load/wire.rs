//! A cheap HTTP/1.1 keep-alive connection: requests have prepared parts, and the task that awaits the answer drives the
//! connection.

use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderValue};
use hyper::{Method, Request, Uri};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use crate::Error;

/// A request, without the common headers.
#[derive(Debug)]
pub struct Sent {
    /// `GET` or `POST`.
    pub method: Method,
    /// The path, from `/v1` on.
    pub path: Uri,
    /// Headers except `Host` and `Content-Type`.
    pub headers: HeaderMap,
    /// JSON; empty for none.
    pub body: Bytes,
}

/// The head of an answer; its body is in the wire's buffer.
#[derive(Debug)]
pub struct Head {
    /// Status code.
    pub status: u16,
    /// All headers.
    pub headers: HeaderMap,
}

/// A connection.
#[derive(Debug)]
pub struct Wire {
    address: SocketAddr,
    open: Option<Open>,
    /// The body of the last answer.
    pub body: Vec<u8>,
}

#[derive(Debug)]
struct Open {
    sender: SendRequest<Full<Bytes>>,
    connection: Connection<TokioIo<TcpStream>, Full<Bytes>>,
}

impl Wire {
    /// A connection to an address, opened with the first request.
    #[must_use]
    pub fn new(address: SocketAddr) -> Self {
        Self { address, open: None, body: Vec::with_capacity(8192) }
    }

    /// Sends a request and reads the whole answer.
    ///
    /// # Errors
    /// If the connection failed; the next request opens another.
    pub async fn send(&mut self, sent: Sent) -> Result<Head, Error> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => Open::new(self.address).await?,
        };
        let head = open.send(sent, &mut self.body).await?;
        self.open = Some(open);
        Ok(head)
    }
}

impl Open {
    async fn new(address: SocketAddr) -> Result<Self, Error> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let (sender, connection) = Builder::new().writev(false).handshake(TokioIo::new(stream)).await?;
        Ok(Self { sender, connection })
    }

    async fn send(&mut self, sent: Sent, buffer: &mut Vec<u8>) -> Result<Head, Error> {
        let mut request = Request::new(Full::new(sent.body.clone()));
        *request.method_mut() = sent.method;
        *request.uri_mut() = sent.path;
        *request.headers_mut() = sent.headers;
        request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
        if !sent.body.is_empty() {
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        let Self { sender, connection } = self;
        std::future::poll_fn(|context| match drive(connection, context) {
            Err(error) => Poll::Ready(Err(error)),
            Ok(()) => sender.poll_ready(context).map_err(Error::from),
        })
        .await?;
        let mut answer = pin!(sender.send_request(request));
        let answer = std::future::poll_fn(|context| {
            if let Err(error) = drive(connection, context) {
                return Poll::Ready(Err(error));
            }
            answer.as_mut().poll(context).map_err(Error::from)
        })
        .await?;
        let (head, mut body) = answer.into_parts();
        buffer.clear();
        std::future::poll_fn(|context| poll_body(connection, &mut body, buffer, context)).await?;
        Ok(Head { status: head.status.as_u16(), headers: head.headers })
    }
}

/// Polls the connection.
fn drive(
    connection: &mut Connection<TokioIo<TcpStream>, Full<Bytes>>,
    context: &mut Context<'_>,
) -> Result<(), Error> {
    match Pin::new(connection).poll(context) {
        Poll::Pending => Ok(()),
        Poll::Ready(Ok(())) => Err("the service closed the connection".into()),
        Poll::Ready(Err(error)) => Err(error.into()),
    }
}

fn poll_body(
    connection: &mut Connection<TokioIo<TcpStream>, Full<Bytes>>,
    body: &mut Incoming,
    buffer: &mut Vec<u8>,
    context: &mut Context<'_>,
) -> Poll<Result<(), Error>> {
    let mut driven = false;
    loop {
        if body.is_end_stream() {
            return Poll::Ready(Ok(()));
        }
        match Pin::new(&mut *body).poll_frame(context) {
            Poll::Ready(None) => return Poll::Ready(Ok(())),
            Poll::Ready(Some(Err(error))) => return Poll::Ready(Err(error.into())),
            Poll::Ready(Some(Ok(frame))) => {
                buffer.extend_from_slice(frame.data_ref().map_or(&[], |data| data));
                driven = false;
            }
            Poll::Pending if driven => return Poll::Pending,
            Poll::Pending => {
                drive(connection, context)?;
                driven = true;
            }
        }
    }
}
