//! A webhook receiver: stores requests, and answers as configured.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::until;

/// A received request.
#[derive(Clone, Debug)]
pub(crate) struct Posted {
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// How it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// With a status.
    Status(u16),
    /// Not at all, and keeps the connection open.
    Hangs,
    /// Not at all: closes the connection after the request.
    Dies,
    /// With a redirect to itself.
    Redirects,
}

/// A receiver. It ends with the runtime of its test.
#[derive(Clone)]
pub(crate) struct Receiver {
    pub(crate) address: SocketAddr,
    got: Arc<Mutex<Vec<Posted>>>,
    manner: Arc<Mutex<Manner>>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let manner = Arc::new(Mutex::new(Manner::Status(204)));
        let receiver = Self { address, got: Arc::default(), manner };
        let serving = receiver.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let receiver = serving.clone();
                tokio::spawn(async move { receiver.serve(stream).await });
            }
        });
        receiver
    }

    /// Its URL for a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Sets how it answers from now on.
    pub(crate) fn answer(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    /// All received requests.
    pub(crate) fn all(&self) -> Vec<Posted> {
        self.got.lock().unwrap().clone()
    }

    /// Requests received at a path.
    pub(crate) fn at(&self, path: &str) -> Vec<Posted> {
        self.all().into_iter().filter(|posted| posted.path == path).collect()
    }

    /// Waits until this many requests were received at a path.
    pub(crate) async fn wait(&self, path: &str, count: usize) -> Vec<Posted> {
        until(&format!("{count} posts to {path}"), async || self.at(path).len() >= count).await;
        self.at(path)
    }

    async fn serve(&self, mut stream: TcpStream) {
        while let Some(posted) = read(&mut stream).await {
            let manner = *self.manner.lock().unwrap();
            self.got.lock().unwrap().push(posted);
            let answer = match manner {
                Manner::Status(status) => format!("HTTP/1.1 {status} Said\r\ncontent-length: 0\r\n\r\n"),
                Manner::Redirects => {
                    let to = self.url("/elsewhere");
                    format!("HTTP/1.1 307 Said\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
                }
                Manner::Dies => return,
                Manner::Hangs => {
                    tokio::time::sleep(std::time::Duration::from_secs(60)).await;
                    return;
                }
            };
            if stream.write_all(answer.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

async fn read(stream: &mut TcpStream) -> Option<Posted> {
    let mut bytes = Vec::new();
    let end = loop {
        let found = bytes.windows(4).position(|window| window == b"\r\n\r\n");
        if let Some(end) = found {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
    let mut body = bytes.split_off(end + 4);
    while body.len() < length {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Posted { path, headers, body })
}

impl Posted {
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(header, _)| header == name);
        found.map(|(_, value)| value.as_str()).unwrap_or_else(|| panic!("no {name} in {:?}", self.headers))
    }

    pub(crate) fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|(header, _)| header == name)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// Identifier of the notification.
    pub(crate) fn id(&self) -> &str {
        self.header("webhook-id")
    }

    /// Which of the signatures is valid for this secret.
    pub(crate) fn signed_by(&self, secret: &str) -> Option<usize> {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").unwrap()).unwrap();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(&key).unwrap();
        mac.update(format!("{}.{}.", self.id(), self.header("webhook-timestamp")).as_bytes());
        mac.update(&self.body);
        let expected = format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()));
        self.header("webhook-signature").split(' ').position(|signature| signature == expected)
    }
}
