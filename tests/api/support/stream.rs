//! A client for event streams.

use std::time::Duration;

use serde_json::Value;

use super::Player;
use super::contract::{Answer, search};

/// An event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) data: Value,
}

/// An open stream; dropping it closes the connection.
pub(crate) struct Stream {
    response: reqwest::Response,
    text: String,
    /// Number of comments so far.
    pub(crate) beats: usize,
}

impl Player {
    /// Opens a stream, or returns the answer instead.
    pub(crate) async fn try_follow(&self, path: &str, last: Option<&str>) -> Result<Stream, Answer> {
        let mut request = self.client.get(format!("http://{}{path}", self.address));
        if !self.token.is_empty() {
            request = request.bearer_auth(&self.token);
        }
        if let Some(last) = last {
            request = request.header("last-event-id", last);
        }
        let response = request.send().await.unwrap();
        let (status, headers) = (response.status(), response.headers().clone());
        if status == 200 {
            assert_eq!(headers["content-type"], "text/event-stream");
            assert_eq!(
                (&headers["cache-control"], &headers["x-accel-buffering"]),
                (&"no-store".parse().unwrap(), &"no".parse().unwrap())
            );
            return Ok(Stream { response, text: String::new(), beats: 0 });
        }
        Err(Answer { status, headers, body: response.text().await.unwrap() })
    }

    /// Opens a stream.
    pub(crate) async fn follow(&self, path: &str, last: Option<&str>) -> Stream {
        self.try_follow(path, last).await.unwrap_or_else(|answer| panic!("{}", answer.body))
    }
}

impl Stream {
    /// The next event; none at the end of the stream. Fails if nothing comes for a minute.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            while let Some((block, rest)) = self.text.split_once("\n\n") {
                let (block, rest) = (block.to_owned(), rest.to_owned());
                self.text = rest;
                search(self.response.url(), self.response.headers(), block.as_bytes()).await;
                if block.starts_with(':') {
                    self.beats += 1;
                } else if let Some(event) = event(&block) {
                    return Some(event);
                }
            }
            if !self.more().await {
                return None;
            }
        }
    }

    /// This many events.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Event> {
        let mut events = Vec::new();
        while events.len() < count {
            events.push(self.next().await.unwrap());
        }
        events
    }

    /// Reads until this many comments have come.
    pub(crate) async fn beats(&mut self, count: usize) {
        while self.text.matches(": still here\n\n").count() < count {
            assert!(self.more().await, "the stream has ended");
        }
    }

    async fn more(&mut self) -> bool {
        let chunk = tokio::time::timeout(Duration::from_secs(60), self.response.chunk()).await;
        let Ok(Some(bytes)) = chunk.unwrap() else { return false };
        self.text.push_str(std::str::from_utf8(&bytes).unwrap());
        true
    }
}

fn event(block: &str) -> Option<Event> {
    let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let data = field("data: ")?;
    Some(Event { id: field("id: "), name: field("event: ")?, data: serde_json::from_str(&data).unwrap() })
}
