//! A service at a URL: requests that need no token.

use std::time::Duration;

use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;

use crate::failure::Failure;
use crate::generated::{ByteStream, Client, Error, ResponseValue};
use crate::headers::Headers;
use crate::repeat::{Reply, until_final};
use crate::types::{Health, Preset, RuleOption};

/// Timeout of one attempt, and of its connection.
const ATTEMPT: Duration = Duration::from_secs(15);
const CONNECT: Duration = Duration::from_secs(5);

/// Default patience: total time for an answer, including retries.
const PATIENCE: Duration = Duration::from_secs(30);

/// A service.
#[derive(Clone, Debug)]
pub struct Server {
    url: String,
    http: reqwest::Client,
    patience: Duration,
    in_the_open: bool,
}

impl Server {
    /// The service at this URL, such as `http://127.0.0.1:8080`. Nothing is sent yet.
    ///
    /// # Errors
    /// `Mismatch` if it is not a URL, or if the system has no CA certificates.
    pub fn new(url: &str) -> Result<Self, Failure> {
        let mismatch = |error: &dyn std::fmt::Display| Failure::Mismatch(format!("{url}: {error}"));
        let parsed = reqwest::Url::parse(url).map_err(|error| mismatch(&error))?;
        if !["http", "https"].contains(&parsed.scheme()) {
            return Err(mismatch(&"an address begins with http:// or https://"));
        }
        let mut http = reqwest::Client::builder()
            .timeout(ATTEMPT)
            .connect_timeout(CONNECT)
            .redirect(Policy::none())
            .user_agent(concat!("yaniv-client/", env!("CARGO_PKG_VERSION")));
        let here = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        if here {
            http = http.no_proxy();
        }
        let http = http.build().map_err(|error| mismatch(&error))?;
        let url = url.trim_end_matches('/').to_owned();
        let in_the_open = parsed.scheme() == "http" && !here;
        Ok(Self { url, http, patience: PATIENCE, in_the_open })
    }

    /// The same with another patience: total time for an answer.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether passwords and tokens are sent unencrypted over a network.
    #[must_use]
    pub fn is_in_the_open(&self) -> bool {
        self.in_the_open
    }

    /// Health of the service (`getHealth`).
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn health(&self) -> Result<Health, Failure> {
        let client = self.client(Headers::default());
        self.send(async || client.get_health().await).await
    }

    /// The named rule sets (`listPresets`), the default first.
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn presets(&self) -> Result<Vec<Preset>, Failure> {
        let client = self.client(Headers::default());
        Ok(self.send(async || client.list_presets().await).await?.items)
    }

    /// The options of a rule set (`listRuleOptions`).
    ///
    /// # Errors
    /// If there is no answer.
    pub async fn rule_options(&self) -> Result<Vec<RuleOption>, Failure> {
        let client = self.client(Headers::default());
        Ok(self.send(async || client.list_rule_options().await).await?.items)
    }

    /// The generated client, with these headers.
    pub(crate) fn client(&self, headers: Headers) -> Client {
        Client::new_with_client(&self.url, self.http.clone(), headers)
    }

    /// Sends with retries until the answer is final.
    pub(crate) async fn send<T>(
        &self,
        attempt: impl AsyncFn() -> Result<ResponseValue<T>, Error<ByteStream>>,
    ) -> Result<T, Failure> {
        match self.reply(attempt).await? {
            Reply::Answer(answer) => Ok(answer.into_inner()),
            Reply::NotModified => Err(Failure::Mismatch("304 to a request without a tag".to_owned())),
        }
    }

    /// The same where the answer may be 304.
    pub(crate) async fn reply<T>(
        &self,
        attempt: impl AsyncFn() -> Result<ResponseValue<T>, Error<ByteStream>>,
    ) -> Result<Reply<T>, Failure> {
        until_final(self.patience, attempt).await
    }
}

/// The `Authorization` header for a token.
pub(crate) fn bearer(token: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}"))
        .map_err(|_| Failure::Mismatch("the token cannot be sent in a header".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}
