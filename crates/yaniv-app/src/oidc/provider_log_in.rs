//! The browser's way to the provider and back. The browser keeps both ends, sealed; stored is only which log-ins have come
//! back, as each may do so once.

use std::fmt::Display;

use chrono::{TimeDelta, Utc};
use yaniv_auth::oidc_cookies::{PendingLogIn, ProvenIdentity};
use yaniv_auth::opaque::TokenSecret;
use yaniv_db::accounts::password_attempts::password_try_count;
use yaniv_db::kernel::counters::Counted;
use yaniv_outbound::OidcClient;
use yaniv_outbound::oidc::{AuthorizationResponse, LogInSecrets, OidcError, Subject};

use crate::accounts::password_attempts::{TRIES_WITHIN, TriedBy};
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// How long a player may take to log in at the provider. Not longer than attempts are stored.
pub const LOG_IN_WITHIN: TimeDelta = TRIES_WITHIN;
/// How long a proven identity can be used.
pub const IDENTITY_VALID: TimeDelta = TimeDelta::minutes(10);
/// Maximum length of the path to return to.
const LONGEST_PATH: usize = 300;

/// The provider did not answer as it should, or there is none: the reason is in the log, as players can only try again.
#[derive(Clone, Copy, Debug)]
pub struct ProviderFailed;

/// The start of a log-in.
pub struct LogInStart {
    /// Address of the provider's log-in.
    pub url: String,
    /// What the browser keeps until it is back, sealed.
    pub pending: String,
}

impl Services {
    /// With this OpenID Connect provider.
    #[must_use]
    pub fn with_oidc(mut self, provider: Option<OidcClient>) -> Self {
        self.oidc = provider;
        self
    }

    /// Name of the OpenID Connect provider, if there is one.
    #[must_use]
    pub fn oidc_provider(&self) -> Option<&str> {
        self.oidc.as_ref().map(OidcClient::name)
    }

    /// Starts a log-in at the provider. With `reauthenticate`, the provider asks for the password even if the browser is
    /// logged in there.
    ///
    /// # Errors
    /// If the provider does not answer, or there is none.
    #[boxed]
    pub async fn start_provider_log_in(
        &self,
        return_to: &str,
        reauthenticate: bool,
    ) -> Result<LogInStart, ProviderFailed> {
        let provider = self.oidc.as_ref().ok_or(ProviderFailed)?;
        let secrets = LogInSecrets { state: drawn()?, nonce: drawn()?, verifier: drawn()? };
        let url = provider.authorization_url(&secrets, reauthenticate).await.map_err(failed)?;
        let LogInSecrets { state, nonce, verifier } = secrets;
        let return_to = local_path(return_to).to_owned();
        let expires_at = (Utc::now() + LOG_IN_WITHIN).timestamp();
        let pending = PendingLogIn { state, nonce, verifier, return_to, reauthenticate, expires_at };
        Ok(LogInStart { url, pending: self.keeper.seal.pending_log_in(&pending) })
    }

    /// The log-in of an authorization response: that which the browser kept, if `state` is its own.
    pub fn pending_log_in(&self, kept: &str, state: &str) -> Option<PendingLogIn> {
        let pending = self.keeper.seal.open_pending_log_in(kept, Utc::now().timestamp());
        pending.filter(|pending| pending.state == state)
    }

    /// Uses a log-in up, at all instances; returns false if it has been used before. Otherwise one log-in could send the
    /// provider any number of requests with the secret of this service.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn use_pending_log_in(&self, pending: &PendingLogIn) -> Result<bool, ServiceError> {
        let key = TriedBy::State(&pending.state).key();
        let counted = password_try_count(&*self.store.connection().await?, &key, 1, LOG_IN_WITHIN).await?;
        Ok(matches!(counted, Counted::Yes(_)))
    }

    /// Exchanges the authorization code for the identity of the player, sealed.
    ///
    /// # Errors
    /// If the provider or its answer cannot be trusted.
    #[boxed]
    pub async fn finish_provider_log_in(
        &self,
        pending: PendingLogIn,
        code: &str,
        issuer: Option<&str>,
    ) -> Result<String, ProviderFailed> {
        let provider = self.oidc.as_ref().ok_or(ProviderFailed)?;
        let PendingLogIn { state, nonce, verifier, reauthenticate, expires_at, .. } = pending;
        let secrets = LogInSecrets { state, nonce, verifier };
        let response = AuthorizationResponse { code, issuer };
        let subject = provider.subject(response, &secrets).await.map_err(failed)?;
        let (now, started) = (Utc::now(), expires_at - LOG_IN_WITHIN.num_seconds());
        if reauthenticate && !provider.is_authenticated_since(&subject, started, now.timestamp()) {
            let detail = "auth_time does not show that the password was asked for (YANIV_OIDC_AUTH_TIME)";
            return Err(failed(OidcError::Token(detail.to_owned())));
        }
        let expires_at = (now + IDENTITY_VALID).timestamp();
        let Subject { issuer, subject, .. } = subject;
        let identity = ProvenIdentity { issuer, subject, reauthenticated: reauthenticate, expires_at };
        Ok(self.keeper.seal.proven_identity(&identity))
    }

    /// The identity that a browser has proven; none if it is not valid, or the provider is another one by now.
    pub fn proven_identity(&self, kept: &str) -> Option<ProvenIdentity> {
        let issuer = self.oidc.as_ref()?.issuer();
        let identity = self.keeper.seal.open_proven_identity(kept, Utc::now().timestamp());
        identity.filter(|identity| identity.issuer == issuer)
    }
}

fn failed(error: impl Display) -> ProviderFailed {
    tracing::warn!(%error, "a log-in by the OpenID provider failed");
    ProviderFailed
}

fn drawn() -> Result<String, ProviderFailed> {
    let secret = TokenSecret::draw().map_err(failed)?;
    Ok(secret.hash().iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A path of this service to return to. Anything else becomes the start page, so that no link leads elsewhere.
pub fn local_path(path: &str) -> &str {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~?=&%".contains(&byte);
    let right = path.starts_with('/') && !path.starts_with("//") && path.bytes().all(plain);
    if right && path.len() <= LONGEST_PATH { path } else { "/" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_returns_to_this_service_only() {
        for path in ["/", "/join/ABC", "/settings/account?linked=1", "/people/%C3%A4"] {
            assert_eq!(local_path(path), path);
        }
        let long = format!("/{}", "a".repeat(LONGEST_PATH));
        for path in
            ["", "//evil.example", "https://evil.example", "/\\evil.example", "/a\r\nb", "/#a", "a", &long]
        {
            assert_eq!(local_path(path), "/", "{path}");
        }
    }
}
