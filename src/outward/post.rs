//! One request to somewhere outside: short, not followed elsewhere, its answer not read.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};

use super::destination::Destination;
use super::resolve::Guarded;

/// How long a request may take in all.
pub const WHOLE: Duration = Duration::from_secs(15);
/// How long until it is connected.
const CONNECTED: Duration = Duration::from_secs(5);
/// How long a connection is kept for the next request.
const IDLE: Duration = Duration::from_secs(20);
/// What is read of an answer, so that its connection can be used again; nobody looks at it.
const READ: usize = 4096;
/// The longest wait that somebody may ask for.
const LONGEST_WAIT: u64 = 24 * 60 * 60;

/// What is sent.
#[derive(Clone, Debug)]
pub struct Post {
    /// Where.
    pub to: Destination,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Vec<u8>,
}

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A status, and how long the other side wants to be left alone.
    Status(u16, Option<Duration>),
    /// None.
    None(Failure),
}

/// Why nothing came back. No more is told: whoever gave the address is not to learn about networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It took too long.
    Timeout,
    /// It could not be reached, or must not be.
    Unreachable,
}

/// Sends. Cheap to clone.
#[derive(Clone)]
pub struct Postman {
    client: Client,
}

impl Postman {
    /// One that resolves names so. Plain HTTP is for private destinations.
    ///
    /// # Errors
    /// If there is no TLS to be had.
    pub fn new(names: Guarded, private: bool) -> Result<Self, reqwest::Error> {
        Self::within(names, private, WHOLE)
    }

    /// One that waits for so long.
    ///
    /// # Errors
    /// If there is no TLS to be had.
    pub fn within(names: Guarded, private: bool, whole: Duration) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .dns_resolver(names)
            .redirect(Policy::none())
            // A proxy of the environment would resolve names in its own way.
            .no_proxy()
            .referer(false)
            .https_only(!private)
            .timeout(whole)
            .connect_timeout(CONNECTED.min(whole))
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(2)
            .user_agent(concat!("yaniv/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client })
    }

    /// Sends something once.
    pub async fn send(&self, post: Post) -> Answer {
        let request = self.client.post(post.to.url().clone()).headers(post.headers).body(post.body);
        match request.send().await {
            Ok(response) => {
                let answer = Answer::Status(response.status().as_u16(), wait_of(&response));
                drain(response).await;
                answer
            }
            Err(error) if error.is_timeout() => Answer::None(Failure::Timeout),
            Err(_) => Answer::None(Failure::Unreachable),
        }
    }
}

fn wait_of(response: &Response) -> Option<Duration> {
    let seconds: u64 = response.headers().get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds.min(LONGEST_WAIT)))
}

/// Reads a little, for a moment.
async fn drain(mut response: Response) {
    let reading = async {
        let mut read = 0;
        while read < READ {
            match response.chunk().await {
                Ok(Some(chunk)) => read = read.saturating_add(chunk.len()),
                _ => break,
            }
        }
    };
    // What has not come by then is of no interest.
    let _ = tokio::time::timeout(Duration::from_secs(1), reading).await;
}
