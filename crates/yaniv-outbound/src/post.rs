//! HTTP client for one outbound request: short timeouts, no redirects, response body ignored.

use std::time::Duration;

use reqwest::header::{HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};

use crate::destination::Destination;
use crate::resolve::Guarded;

/// Timeout of a whole request.
pub const WHOLE: Duration = Duration::from_secs(15);
/// Timeout of the connect.
const CONNECTED: Duration = Duration::from_secs(5);
/// How long an idle connection is kept for reuse.
const IDLE: Duration = Duration::from_secs(20);
/// Bytes read from a response body so that the connection can be reused; the content is discarded.
const READ: usize = 4096;
/// Maximum accepted `Retry-After`, in seconds.
const LONGEST_WAIT: u64 = 24 * 60 * 60;

/// A request to send.
#[derive(Clone, Debug)]
pub struct Post {
    /// Destination.
    pub to: Destination,
    /// Headers.
    pub headers: HeaderMap,
    /// Body.
    pub body: Vec<u8>,
}

/// Result of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Status, and the delay requested by the destination.
    Status(u16, Option<Duration>),
    /// No response.
    None(Failure),
}

/// Why there was no response. Deliberately coarse, so that owners of destinations learn nothing about
/// internal networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// Timeout.
    Timeout,
    /// Unreachable, or the address is not allowed.
    Unreachable,
}

/// The client. Cheap to clone.
#[derive(Clone)]
pub struct HttpSender {
    /// None: sending is disabled.
    client: Option<Client>,
}

impl HttpSender {
    /// A client with this resolver. Plain HTTP is accepted for private destinations only.
    ///
    /// # Errors
    /// If TLS cannot be initialized.
    pub fn new(names: Guarded, private: bool) -> Result<Self, reqwest::Error> {
        Self::within(names, private, WHOLE)
    }

    /// A client with a total timeout of `whole`.
    ///
    /// # Errors
    /// If TLS cannot be initialized.
    pub fn within(names: Guarded, private: bool, whole: Duration) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .dns_resolver(names)
            .redirect(Policy::none())
            // A proxy from the environment would bypass our resolver.
            .no_proxy()
            .referer(false)
            .https_only(!private)
            .timeout(whole)
            .connect_timeout(CONNECTED.min(whole))
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(2)
            .user_agent(concat!("yaniv/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { client: Some(client) })
    }

    /// A disabled client, for when none can be built, as without CA certificates.
    #[must_use]
    pub fn off() -> Self {
        Self { client: None }
    }

    /// Whether sending is enabled.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.client.is_some()
    }

    /// Sends a request once, without retry.
    pub async fn send(&self, post: Post) -> Answer {
        let Some(client) = &self.client else { return Answer::None(Failure::Unreachable) };
        let request = client.post(post.to.url().clone()).headers(post.headers).body(post.body);
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

/// Reads a little of the body, so that the connection can be reused.
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
    // On timeout the rest is ignored.
    let _ = tokio::time::timeout(Duration::from_secs(1), reading).await;
}
