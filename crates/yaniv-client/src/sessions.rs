//! Getting in and staying in: what answers a session.

use std::time::Duration;

use crate::failure::Failure;
use crate::headers::Headers;
use crate::server::Server;
use crate::types::{CreateGuestRequest, Credentials, RefreshRequest, Session};

/// What the list of sessions calls this client.
const DEVICE: &str = "yaniv-client";

/// How long one attempt of a refresh may take: the service gives a lost answer again for ten seconds only.
const REFRESH_ATTEMPT: Duration = Duration::from_secs(4);

impl Server {
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

    /// Plays as a guest (`createGuest`), with an invitation where one is needed.
    ///
    /// # Errors
    /// `Refused` with `invitation_required` or `invitation_invalid`, among others.
    pub async fn create_guest(&self, invitation: Option<&str>) -> Result<Session, Failure> {
        let invitation = invitation.map(str::parse).transpose()?;
        let body = CreateGuestRequest { device: DEVICE.parse().ok(), display_name: None, invitation };
        let client = self.client(Headers::default());
        // If the answer gets lost there is a guest whom nobody can be: the service deletes it.
        self.send(async || client.create_guest(&body).await).await
    }

    /// The next tokens of a session (`refreshSession`). Keep the new refresh token at once: the old one was used. If this
    /// fails with [`Failure::Unanswered`], ask again with the same one: within ten seconds the answer is the same.
    ///
    /// # Errors
    /// `LoggedOut` if the session has ended or expired.
    pub async fn refresh(&self, refresh_token: &str) -> Result<Session, Failure> {
        let body = RefreshRequest { refresh_token: refresh_token.parse()? };
        let client = self.client(Headers { timeout: Some(REFRESH_ATTEMPT), ..Headers::default() });
        self.send(async || client.refresh_session(&body).await).await
    }
}

fn credentials(name: &str, password: &str) -> Result<Credentials, Failure> {
    Ok(Credentials {
        username: name.parse()?,
        password: password.parse()?,
        device: DEVICE.parse().ok(),
        device_token: None,
        invitation: None,
    })
}
