//! The authorization request of an app: which values of its parameters are allowed.
//!
//! Apps are not registered. The player is shown where the authorization response goes, as `client_id` can be any name. A
//! redirect URI is a page on the web, or a program or an app on the player's device (RFC 8252).

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Url;
use sha2::{Digest, Sha256};
use yaniv_auth::access::{Scope, Scopes};

use crate::ServiceError;
use crate::accounts::sessions::check_name;

/// Maximum length of a redirect URI and of a state, in bytes.
const LONGEST: usize = 500;
/// Parameters that the authorization response adds to the redirect URI.
const ADDED: [&str; 4] = ["code", "error", "state", "iss"];

/// The parameters of an authorization request, as the app has sent them (RFC 6749, 4.1.1; RFC 7636, 4.3).
pub struct AuthorizationParameters {
    /// `code`.
    pub response_type: String,
    /// What the app calls itself.
    pub client_id: String,
    /// Where the authorization response goes.
    pub redirect_uri: String,
    /// Names of scopes, separated by spaces; `read` if there is none.
    pub scope: Option<String>,
    /// Repeated in the authorization response.
    pub state: Option<String>,
    /// SHA-256 of the code verifier, in base64url.
    pub code_challenge: String,
    /// `S256`.
    pub code_challenge_method: String,
}

/// A valid authorization request.
#[derive(Clone)]
pub(crate) struct AuthorizationRequest {
    pub(crate) client_id: String,
    pub(crate) redirect_uri: RedirectUri,
    pub(crate) scopes: Scopes,
    pub(crate) code_challenge: [u8; 32],
    state: Option<String>,
}

/// A redirect URI, as the app has sent it, and parsed.
#[derive(Clone)]
pub(crate) struct RedirectUri {
    pub(crate) text: String,
    url: Url,
}

impl AuthorizationRequest {
    /// Checks the parameters. `issuer` is the public address of the service, if it is known.
    ///
    /// # Errors
    /// `InvalidField`.
    pub(crate) fn new(given: AuthorizationParameters, issuer: Option<&str>) -> Result<Self, ServiceError> {
        let invalid = |field, detail| ServiceError::InvalidField { field, detail };
        if given.response_type != "code" {
            return Err(invalid("response_type", "must be code"));
        }
        if given.code_challenge_method != "S256" {
            return Err(invalid("code_challenge_method", "must be S256"));
        }
        check_name("client_id", &given.client_id)?;
        if given.state.as_ref().is_some_and(|state| state.len() > LONGEST) {
            return Err(invalid("state", "must have at most 500 bytes"));
        }
        let redirect_uri = RedirectUri::new(given.redirect_uri)?;
        // The player would be told that this service itself asks.
        if issuer
            .and_then(|issuer| Url::parse(issuer).ok())
            .is_some_and(|own| own.origin() == redirect_uri.url.origin())
        {
            return Err(invalid("redirect_uri", "must not be an address of this service"));
        }
        let challenge = URL_SAFE_NO_PAD.decode(&given.code_challenge).ok();
        let challenge = challenge.and_then(|bytes| bytes.try_into().ok());
        Ok(Self {
            client_id: given.client_id,
            redirect_uri,
            scopes: scopes(given.scope.as_deref().unwrap_or(Scope::Read.name()))?,
            code_challenge: challenge
                .ok_or(invalid("code_challenge", "must be the SHA-256 of the code verifier in base64url"))?,
            state: given.state,
        })
    }

    /// The redirect URI with the authorization response.
    pub(crate) fn response(self, name: &str, value: &str, issuer: Option<&str>) -> String {
        let mut url = self.redirect_uri.url;
        let state = self.state.as_deref().map(|state| ("state", state));
        let issuer = issuer.map(|issuer| ("iss", issuer));
        url.query_pairs_mut().append_pair(name, value).extend_pairs(state.into_iter().chain(issuer));
        url.into()
    }
}

impl RedirectUri {
    /// Checks a redirect URI.
    ///
    /// # Errors
    /// `InvalidField`.
    pub(crate) fn new(text: String) -> Result<Self, ServiceError> {
        let invalid = |detail| ServiceError::InvalidField { field: "redirect_uri", detail };
        if text.len() > LONGEST || !text.chars().all(|letter| letter.is_ascii_graphic()) {
            return Err(invalid("must have at most 500 ASCII characters, without spaces"));
        }
        let url = Url::parse(&text).map_err(|_| invalid("must be an absolute URI"))?;
        if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("must have no fragment and no username"));
        }
        if url.query_pairs().any(|(name, _)| ADDED.contains(&name.as_ref())) {
            return Err(invalid("must not have the parameters code, error, state and iss"));
        }
        let is_allowed = match url.scheme() {
            "https" => true,
            "http" => is_loopback(&url),
            // Named by a domain of the app's developer: no scheme that a browser runs or opens itself.
            scheme => scheme.contains('.'),
        };
        if !is_allowed {
            return Err(invalid(
                "must begin with https, with http and a loopback address, or with a scheme like com.example.app",
            ));
        }
        Ok(Self { text, url })
    }

    /// What the player is shown: the web origin or the scheme. A program on a loopback address has another port each
    /// time, so the port is left out.
    pub(crate) fn issued_to(&self) -> String {
        match (self.url.scheme(), self.url.host_str()) {
            ("https", _) => self.url.origin().ascii_serialization(),
            ("http", Some(host)) => format!("http://{host}"),
            (scheme, _) => scheme.to_owned(),
        }
    }
}

/// Whether a code verifier belongs to a challenge (RFC 7636, 4.6).
pub(crate) fn verifies(code_verifier: &str, challenge: &[u8]) -> bool {
    Sha256::digest(code_verifier).as_slice() == challenge
}

fn is_loopback(url: &Url) -> bool {
    matches!(url.host_str(), Some("127.0.0.1" | "[::1]" | "localhost"))
}

fn scopes(text: &str) -> Result<Scopes, ServiceError> {
    let names: HashSet<&str> = text.split(' ').filter(|name| !name.is_empty()).collect();
    let scopes: Scopes = Scope::OF_SESSION.into_iter().filter(|scope| names.contains(scope.name())).collect();
    if names.is_empty() || scopes.iter().count() != names.len() {
        return Err(ServiceError::InvalidField {
            field: "scope",
            detail: "must be some of read, play, account, separated by spaces",
        });
    }
    Ok(scopes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(text: &str) -> Option<String> {
        RedirectUri::new(text.to_owned()).ok().map(|uri| uri.issued_to())
    }

    #[test]
    fn the_player_is_shown_an_origin_or_a_scheme() {
        for (text, known) in [
            ("https://app.example/callback", "https://app.example"),
            ("https://app.example:8443/callback?from=yaniv", "https://app.example:8443"),
            // A letter that looks like another one is shown as what it is.
            ("https://xn--pp-6kc.example/", "https://xn--pp-6kc.example"),
            ("http://127.0.0.1:49152/callback", "http://127.0.0.1"),
            ("http://[::1]:49152/callback", "http://[::1]"),
            ("http://localhost:5173/", "http://localhost"),
            ("com.example.app:/callback", "com.example.app"),
        ] {
            assert_eq!(app(text).as_deref(), Some(known), "{text}");
        }
    }

    #[test]
    fn a_response_goes_to_https_to_the_device_itself_or_to_an_app_scheme() {
        for text in [
            "",
            "/callback",
            "http://app.example/callback",
            "http://127.0.0.1.app.example/",
            "http://localhost.app.example/",
            "https://app.example/callback#fragment",
            "https://app.example/call back",
            "https://user@app.example/",
            "https://app.example/?code=1",
            "https://app.example/?%63ode=1",
            "javascript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "intent://app.example/",
            "myapp:/callback",
            &format!("https://app.example/{}", "a".repeat(LONGEST)),
        ] {
            assert_eq!(app(text), None, "{text}");
        }
    }

    #[test]
    fn scopes_are_named_exactly() {
        let named = |text| scopes(text).ok().map(|scopes| scopes.iter().map(Scope::name).collect::<Vec<_>>());
        assert_eq!(named("play read"), Some(vec!["read", "play"]));
        assert_eq!(named("account"), Some(vec!["account"]));
        for text in ["", " ", "Read", "read,play", "read admin", "read moderate", "read\tplay"] {
            assert_eq!(named(text), None, "{text}");
        }
    }
}
