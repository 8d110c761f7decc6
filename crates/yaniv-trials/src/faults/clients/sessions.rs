//! Sessions of a client: an access token, and the refresh token that gets the next one.

use std::net::SocketAddr;

use bytes::Bytes;
use serde_json::{Value, json};

use crate::Error;
use crate::faults::clients::group::PASSWORD;
use crate::player::{Answer, Line, Lost, Request};

/// A client's session.
#[derive(Clone, Debug)]
pub struct Session {
    /// Identifier.
    pub id: String,
    /// Access token.
    pub access: String,
    /// Refresh token.
    pub refresh: String,
}

impl Session {
    /// Registers an account, or logs in if the name is taken.
    ///
    /// # Errors
    /// If the instance refuses both.
    pub async fn begin(address: SocketAddr, username: &str) -> Result<Self, Error> {
        let mut line = Line::new(address);
        let credentials = json!({"username": username, "password": PASSWORD});
        for path in ["/v1/sessions", "/v1/accounts"] {
            let answer = post(&mut line, path, "", &credentials).await.map_err(|Lost(error)| error)?;
            if let Some(session) = Self::of(&answer) {
                return Ok(session);
            }
        }
        Err(format!("{username} can neither log in nor register").into())
    }

    /// The session in an answer, if there is one.
    #[must_use]
    pub fn of(answer: &Answer) -> Option<Self> {
        let body: Value = serde_json::from_slice(&answer.body).ok()?;
        let text = |name: &str| body.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self { id: text("session_id")?, access: text("access_token")?, refresh: text("refresh_token")? })
    }
}

/// Sends a POST with a body.
///
/// # Errors
/// [`Lost`] if no answer came.
pub async fn post(line: &mut Line, path: &str, token: &str, body: &Value) -> Result<Answer, Lost> {
    let body = (!body.is_null()).then(|| Bytes::from(body.to_string()));
    line.send(&Request { method: "POST", path, token, body, ..Request::default() }).await
}

/// Sends a refresh token.
///
/// # Errors
/// [`Lost`] if no answer came.
pub async fn refresh(line: &mut Line, token: &str) -> Result<Answer, Lost> {
    post(line, "/v1/sessions/refresh", "", &json!({"refresh_token": token})).await
}

/// Whether an access token or a personal token is accepted.
///
/// # Errors
/// If no answer came.
pub async fn is_accepted(line: &mut Line, token: &str) -> Result<bool, Error> {
    let request = Request { path: "/v1/account", token, ..Request::default() };
    let answer = line.send(&request).await.map_err(|Lost(error)| error)?;
    match answer.status {
        200 => Ok(true),
        401 => Ok(false),
        status => Err(format!("GET /v1/account is answered {status}").into()),
    }
}
