//! Registration, log-in and refresh: requests that return a session.

use std::time::Duration;

use crate::failure::Failure;
use crate::headers::Headers;
use crate::server::Server;
use crate::types::{CreateGuestRequest, Credentials, RefreshSessionRequest, Session, TransferSessionRequest};

/// This client's name in the list of sessions.
const DEVICE: &str = "yaniv-client";

/// Timeout of one attempt of a refresh. Two attempts within ten seconds get the same refresh token.
const REFRESH_ATTEMPT: Duration = Duration::from_secs(4);

impl Server {
    /// Registers an account (`registerAccount`), which logs in.
    ///
    /// # Errors
    /// `Refused` with `username_taken`, among others.
    pub async fn register(&self, name: &str, password: &str) -> Result<Session, Failure> {
        self.register_by(name, password, None).await
    }

    /// The same with an invitation, where required.
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
        // There is no key here. If an answer was lost, the name is taken by us, and the password is right.
        match self.send(async || client.register_account(None, &body).await).await {
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

    /// The same on a device with a `device_token` of an earlier log-in: it is not locked out while others guess
    /// passwords.
    ///
    /// # Errors
    /// Those of `log_in`.
    pub async fn log_in_on(
        &self,
        name: &str,
        password: &str,
        device_token: Option<&str>,
    ) -> Result<Session, Failure> {
        // An invalid token is ignored; log-in works without one.
        let device_token = device_token.and_then(|token| token.parse().ok());
        let body = Credentials { device_token, ..credentials(name, password)? };
        let client = self.client(Headers::default());
        self.send(async || client.log_in(&body).await).await
    }

    /// Creates a guest account (`createGuest`), with an invitation where required.
    ///
    /// # Errors
    /// `Refused` with `invitation_required` or `invitation_invalid`, among others.
    pub async fn create_guest(&self, invitation: Option<&str>) -> Result<Session, Failure> {
        let invitation = invitation.map(str::parse).transpose()?;
        let body =
            CreateGuestRequest { device: DEVICE.parse().ok(), invitation, ..CreateGuestRequest::default() };
        let client = self.client(Headers::default());
        // If the answer is lost, the guest is unused, and the service deletes it.
        self.send(async || client.create_guest(None, &body).await).await
    }

    /// Logs in by a transfer code of another device (`transferSession`).
    ///
    /// # Errors
    /// `Refused` with `transfer_code_invalid`, among others.
    pub async fn log_in_by_code(&self, transfer_code: &str) -> Result<Session, Failure> {
        let body = TransferSessionRequest {
            transfer_code: transfer_code.parse()?,
            device: DEVICE.parse().ok(),
            refresh_cookie: None,
        };
        let client = self.client(Headers::default());
        self.send(async || client.transfer_session(&body).await).await
    }

    /// The next tokens of a session (`refreshSession`).
    ///
    /// Store the new refresh token at once: the old one is used up. After [`Failure::Unanswered`], retry with the same
    /// token, at any later time.
    ///
    /// # Errors
    /// `LoggedOut` if the session has ended or expired.
    pub async fn refresh(&self, refresh_token: &str) -> Result<Session, Failure> {
        let body =
            RefreshSessionRequest { refresh_cookie: None, refresh_token: Some(refresh_token.parse()?) };
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
        language: None,
        refresh_cookie: None,
    })
}
