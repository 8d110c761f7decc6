//! A service at an address: what needs no token.

use std::time::Duration;

use reqwest::header::HeaderValue;
use reqwest::redirect::Policy;

use crate::failure::Failure;
use crate::generated::{ByteStream, Client, Error, ResponseValue};
use crate::headers::Headers;
use crate::repeat::{Reply, until_final};
use crate::types::{Credentials, Health, Preset, RuleOption, Session};

/// How long one attempt may take, and its connection.
const ATTEMPT: Duration = Duration::from_secs(15);
const CONNECT: Duration = Duration::from_secs(5);

/// How long an answer is waited for, with repetitions, unless another patience is asked for.
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
    /// The service at this address, as `http://127.0.0.1:8080`. Nothing is sent yet.
    ///
    /// # Errors
    /// `Mismatch` if that is no address, or if the system has no certificates to trust.
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

    /// The same with another patience: how long an answer is waited for in all.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// The address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Whether passwords and tokens travel there without encryption, and not only within this machine.
    #[must_use]
    pub fn is_in_the_open(&self) -> bool {
        self.in_the_open
    }

    /// Registers an account (`registerAccount`), which logs in.
    ///
    /// # Errors
    /// `Refused` with `username_taken`, among others.
    pub async fn register(&self, name: &str, password: &str) -> Result<Session, Failure> {
        self.register_by(name, password, None).await
    }

    /// The same by an invitation, where one is needed.
    ///
    /// # Errors
    /// `Refused` with `invitation_required` or `invitation_invalid`, among others.
    pub async fn register_by(
        &self,
        name: &str,
        password: &str,
        invitation: Option<&str>,
    ) -> Result<Session, Failure> {
        let invitation = invitation.map(str::parse).transpose()?;
        let body = Credentials { invitation, ..credentials(name, password)? };
        let client = self.client(Headers::default());
        // There is no key yet. If an answer was lost, the name is taken, by us: then the password is right.
        match self.send(async || client.register_account(&body).await).await {
            Err(Failure::Refused(problem)) if &*problem.code == "username_taken" => {
                self.log_in(name, password).await.map_err(|_| Failure::Refused(problem))
            }
            other => other,
        }
    }

    /// Logs in (`logIn`).
    ///
    /// # Errors
    /// `Refused` with `invalid_credentials`, among others.
    pub async fn log_in(&self, name: &str, password: &str) -> Result<Session, Failure> {
        self.log_in_on(name, password, None).await
    }

    /// The same on a device that was logged in before, and has its `device_token`: whoever guesses passwords meanwhile does
    /// not keep it out.
    ///
    /// # Errors
    /// As of `log_in`.
    pub async fn log_in_on(
        &self,
        name: &str,
        password: &str,
        device_token: Option<&str>,
    ) -> Result<Session, Failure> {
        // What cannot be one is not known; it was not needed before.
        let device_token = device_token.and_then(|token| token.parse().ok());
        let body = Credentials { device_token, ..credentials(name, password)? };
        let client = self.client(Headers::default());
        self.send(async || client.log_in(&body).await).await
    }

    /// Whether the service runs (`getHealth`).
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

    /// Sends until the answer is final.
    pub(crate) async fn send<T>(
        &self,
        attempt: impl AsyncFn() -> Result<ResponseValue<T>, Error<ByteStream>>,
    ) -> Result<T, Failure> {
        match self.reply(attempt).await? {
            Reply::Answer(answer) => Ok(answer.into_inner()),
            Reply::NotModified => Err(Failure::Mismatch("304 to a request without a tag".to_owned())),
        }
    }

    /// The same where the answer may be that nothing is new.
    pub(crate) async fn reply<T>(
        &self,
        attempt: impl AsyncFn() -> Result<ResponseValue<T>, Error<ByteStream>>,
    ) -> Result<Reply<T>, Failure> {
        until_final(self.patience, attempt).await
    }
}

/// The header of a token.
pub(crate) fn bearer(token: &str) -> Result<HeaderValue, Failure> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}"))
        .map_err(|_| Failure::Mismatch("the token cannot be sent in a header".to_owned()))?;
    value.set_sensitive(true);
    Ok(value)
}

fn credentials(name: &str, password: &str) -> Result<Credentials, Failure> {
    Ok(Credentials {
        username: name.parse()?,
        password: password.parse()?,
        device: "yaniv-client".parse().ok(),
        device_token: None,
        invitation: None,
    })
}
