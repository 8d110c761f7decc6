//! OpenID Connect (Core 1.0, Discovery 1.0): the provider that the operator has configured.
//!
//! The authorization code flow with PKCE. The provider's metadata and keys are read at the first log-in and cached.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tokio::sync::Mutex;

/// Timeout of a request to the provider.
const WHOLE: Duration = Duration::from_secs(10);
/// How long the metadata and keys are cached.
const CACHED: Duration = Duration::from_secs(60 * 60);
/// They are read again at most this often for an ID token with an unknown key.
const READ_AGAIN: Duration = Duration::from_secs(60);
/// After a failure they are not read again for this long.
const FAILED: Duration = Duration::from_secs(1);
/// Maximum size of an answer of the provider, in bytes.
const LARGEST: usize = 256 * 1024;
/// Maximum difference of the clocks, in seconds.
const CLOCKS_DIFFER: i64 = 60;
/// Maximum length of a subject, in characters (Core, section 2).
const LONGEST_SUBJECT: usize = 255;
/// Signature algorithms of ID tokens: asymmetric ones only.
const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RS256,
    Algorithm::RS384,
    Algorithm::RS512,
    Algorithm::PS256,
    Algorithm::PS384,
    Algorithm::PS512,
    Algorithm::ES256,
    Algorithm::ES384,
    Algorithm::EdDSA,
];

/// What the operator has registered at the provider.
#[derive(Clone)]
pub struct OidcConfiguration {
    /// Name for players: "Log in with …".
    pub name: String,
    /// Issuer identifier: an `https` URL, or `http` on this machine.
    pub issuer: String,
    /// Identifier of this service as a client.
    pub client_id: String,
    /// Its secret, unless it is a public client.
    pub client_secret: Option<String>,
    /// Where the provider sends the browser back.
    pub redirect_uri: String,
    /// Whether the provider says when a user last typed the password (`auth_time`), if it is asked to have it typed.
    pub has_auth_time: bool,
}

/// Secrets of one log-in, which the browser keeps until it comes back. No `Debug`.
#[derive(Clone)]
pub struct LogInSecrets {
    /// Binds the answer to the browser.
    pub state: String,
    /// Binds the ID token to the log-in.
    pub nonce: String,
    /// Code verifier (PKCE).
    pub verifier: String,
}

/// Parameters with which the browser comes back.
pub struct AuthorizationResponse<'a> {
    /// The authorization code.
    pub code: &'a str,
    /// The issuer (RFC 9207), if the provider sends it.
    pub issuer: Option<&'a str>,
}

/// Who has logged in at the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The issuer.
    pub issuer: String,
    /// Identifier of the user at the issuer.
    pub subject: String,
    /// When the user last typed a password or the like, in seconds since 1970, if the provider says so.
    pub authenticated_at: Option<i64>,
}

/// Why a log-in failed. For the log of the operator; it contains no secrets.
#[derive(Debug, thiserror::Error)]
pub enum OidcError {
    /// The provider does not answer as it should.
    #[error("{0}: {1}")]
    Provider(&'static str, String),
    /// The ID token or the response is not valid.
    #[error("the ID token is refused: {0}")]
    Token(String),
}

/// The client of a provider. Cheap to clone.
#[derive(Clone)]
pub struct OidcClient(Arc<Inner>);

struct Inner {
    configuration: OidcConfiguration,
    client: Client,
    known: Mutex<Known>,
}

/// The answer of the provider about itself, and when it last failed to give one.
#[derive(Default)]
struct Known {
    provider: Option<(Instant, Arc<Provider>)>,
    failed: Option<Instant>,
}

struct Provider {
    metadata: Metadata,
    keys: JwkSet,
}

/// Metadata of the provider (Discovery, section 3).
#[derive(Deserialize)]
struct Metadata {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

#[derive(Deserialize)]
struct TokenResponse {
    id_token: String,
}

/// Claims of an ID token (Core, section 2). The library checks `iss`, `aud` and `exp`.
#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Value,
    #[serde(default)]
    azp: Option<String>,
    #[serde(default)]
    nonce: Option<String>,
    #[serde(default)]
    auth_time: Option<i64>,
}

impl OidcClient {
    /// A client of this provider; does not connect yet.
    ///
    /// # Errors
    /// If the issuer is not an `https` URL (or `http` on this machine), or TLS cannot be initialized.
    pub fn new(configuration: OidcConfiguration) -> Result<Self, OidcError> {
        let fault = |detail: String| OidcError::Provider("the OpenID Connect client", detail);
        check_url(&configuration.issuer)?;
        let client = Client::builder()
            .redirect(Policy::none())
            .referer(false)
            .timeout(WHOLE)
            .user_agent(concat!("yaniv/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(|error| fault(error.to_string()))?;
        Ok(Self(Arc::new(Inner { configuration, client, known: Mutex::default() })))
    }

    /// Name of the provider for players.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.configuration.name
    }

    /// Its issuer.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.0.configuration.issuer
    }

    /// Whether the user was authenticated since this time (seconds since 1970). Without `auth_time` the provider is
    /// believed, if its configuration says that it gives none.
    #[must_use]
    pub fn is_authenticated_since(&self, subject: &Subject, since: i64, now: i64) -> bool {
        let between = since.saturating_sub(CLOCKS_DIFFER)..=now.saturating_add(CLOCKS_DIFFER);
        subject.authenticated_at.map_or(!self.0.configuration.has_auth_time, |at| between.contains(&at))
    }

    /// The address of the provider's log-in. With `reauthenticate`, the provider asks for the password even if the
    /// browser is logged in there.
    ///
    /// # Errors
    /// `Provider`.
    pub async fn authorization_url(
        &self,
        secrets: &LogInSecrets,
        reauthenticate: bool,
    ) -> Result<String, OidcError> {
        let provider = self.provider(CACHED).await?;
        let mut url = check_url(&provider.metadata.authorization_endpoint)?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&secrets.verifier));
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.0.configuration.client_id)
            .append_pair("redirect_uri", &self.0.configuration.redirect_uri)
            .append_pair("scope", "openid")
            .append_pair("state", &secrets.state)
            .append_pair("nonce", &secrets.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        if reauthenticate {
            // `max_age` makes the provider say when the user was authenticated; some heed only `prompt`.
            url.query_pairs_mut().append_pair("prompt", "login").append_pair("max_age", "0");
        }
        Ok(url.into())
    }

    /// Exchanges the code of an authorization response for an ID token, and verifies it.
    ///
    /// # Errors
    /// `Provider`, `Token`.
    pub async fn subject(
        &self,
        response: AuthorizationResponse<'_>,
        secrets: &LogInSecrets,
    ) -> Result<Subject, OidcError> {
        let provider = self.provider(CACHED).await?;
        let metadata = &provider.metadata;
        let named = response.issuer == Some(metadata.issuer.as_str());
        if !named && (response.issuer.is_some() || metadata.authorization_response_iss_parameter_supported) {
            return Err(OidcError::Token("the authorization response is of another issuer".to_owned()));
        }
        let request = self.token_request(metadata, response.code, secrets)?;
        let TokenResponse { id_token } = read("the token endpoint", request).await?;
        let header = decode_header(&id_token).map_err(refused)?;
        let kid = header.kid.as_deref();
        let known = key(&provider.keys, kid).cloned();
        let key = match known {
            Some(key) => key,
            // The provider may have changed its keys.
            None => key(&self.provider(READ_AGAIN).await?.keys, kid)
                .cloned()
                .ok_or_else(|| OidcError::Token("no key of the provider has its key id".to_owned()))?,
        };
        self.verify(&id_token, header.alg, &key, secrets)
    }

    fn verify(
        &self,
        token: &str,
        algorithm: Algorithm,
        key: &Jwk,
        secrets: &LogInSecrets,
    ) -> Result<Subject, OidcError> {
        let refuse = |detail: &str| Err(OidcError::Token(detail.to_owned()));
        if !ALGORITHMS.contains(&algorithm) {
            return refuse("its algorithm is not allowed");
        }
        let OidcConfiguration { issuer, client_id, .. } = &self.0.configuration;
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&[issuer]);
        validation.set_audience(&[client_id]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.validate_nbf = true;
        validation.leeway = CLOCKS_DIFFER.unsigned_abs();
        let key = DecodingKey::from_jwk(key).map_err(refused)?;
        let claims = decode::<Claims>(token, &key, &validation).map_err(refused)?.claims;
        let several = claims.aud.as_array().is_some_and(|audiences| audiences.len() > 1);
        if several && claims.azp.is_none() || claims.azp.as_ref().is_some_and(|azp| azp != client_id) {
            return refuse("it was issued to another client");
        }
        if claims.nonce.as_ref() != Some(&secrets.nonce) {
            return refuse("it is of another log-in");
        }
        if claims.sub.is_empty() || claims.sub.chars().count() > LONGEST_SUBJECT || claims.sub.contains('\0')
        {
            return refuse("its subject is out of bounds");
        }
        let authenticated_at = claims.auth_time;
        Ok(Subject { issuer: claims.iss, subject: claims.sub, authenticated_at })
    }

    fn token_request(
        &self,
        metadata: &Metadata,
        code: &str,
        secrets: &LogInSecrets,
    ) -> Result<RequestBuilder, OidcError> {
        let OidcConfiguration { client_id, client_secret, redirect_uri, .. } = &self.0.configuration;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", &secrets.verifier),
        ];
        let mut request = self.0.client.post(check_url(&metadata.token_endpoint)?);
        // Default: `client_secret_basic` (Discovery, section 3).
        let methods = metadata.token_endpoint_auth_methods_supported.as_deref();
        let basic = methods.is_none_or(|methods| methods.iter().any(|one| one == "client_secret_basic"));
        match client_secret {
            Some(secret) if basic => {
                let credentials = format!("{}:{}", encoded(client_id), encoded(secret));
                let value = format!("Basic {}", STANDARD.encode(credentials));
                request = request.header(reqwest::header::AUTHORIZATION, value);
            }
            Some(secret) => form.extend([("client_id", client_id.as_str()), ("client_secret", secret)]),
            None => form.push(("client_id", client_id)),
        }
        let pairs = form.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let body = pairs.collect::<Vec<_>>().join("&");
        Ok(request
            .header(reqwest::header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .header(reqwest::header::ACCEPT, "application/json")
            .body(body))
    }

    /// The metadata and keys of the provider, read at most this long ago.
    async fn provider(&self, ago: Duration) -> Result<Arc<Provider>, OidcError> {
        // Held during the request: log-ins at the same time wait for one answer.
        let mut known = self.0.known.lock().await;
        if let Some((at, provider)) = &known.provider
            && at.elapsed() < ago
        {
            return Ok(provider.clone());
        }
        // Those who have waited for a provider that does not answer are not made to wait one after the other.
        if known.failed.is_some_and(|at| at.elapsed() < FAILED) {
            let error = OidcError::Provider("the provider's metadata", "failed a moment ago".to_owned());
            return known.provider.as_ref().map(|(_, provider)| provider.clone()).ok_or(error);
        }
        match self.discover().await {
            Ok(provider) => {
                let provider = Arc::new(provider);
                *known = Known { provider: Some((Instant::now(), provider.clone())), failed: None };
                Ok(provider)
            }
            Err(error) => {
                known.failed = Some(Instant::now());
                // Old metadata may do.
                known.provider.as_ref().map(|(_, provider)| provider.clone()).ok_or(error)
            }
        }
    }

    /// Reads the metadata and keys of the provider.
    async fn discover(&self) -> Result<Provider, OidcError> {
        let issuer = &self.0.configuration.issuer;
        let url = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
        let metadata: Metadata = read("the provider's metadata", self.0.client.get(check_url(&url)?)).await?;
        if metadata.issuer != *issuer {
            let detail = format!("they are of the issuer {}, not {issuer}", metadata.issuer);
            return Err(OidcError::Provider("the provider's metadata", detail));
        }
        check_url(&metadata.authorization_endpoint)?;
        check_url(&metadata.token_endpoint)?;
        let keys = read("the provider's keys", self.0.client.get(check_url(&metadata.jwks_uri)?)).await?;
        Ok(Provider { metadata, keys })
    }
}

/// The key with this key id; without one, the only key.
fn key<'a>(keys: &'a JwkSet, kid: Option<&str>) -> Option<&'a Jwk> {
    match (kid, keys.keys.as_slice()) {
        (Some(kid), _) => keys.find(kid),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}

fn refused(error: jsonwebtoken::errors::Error) -> OidcError {
    OidcError::Token(error.to_string())
}

/// A URL that secrets may be sent to: with TLS, or on this machine.
fn check_url(text: &str) -> Result<Url, OidcError> {
    let bad = || OidcError::Provider("not an https address", text.to_owned());
    let url = Url::parse(text).map_err(|_| bad())?;
    let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    let right = url.scheme() == "https" || url.scheme() == "http" && local;
    if right && url.has_host() { Ok(url) } else { Err(bad()) }
}

/// Encodes a value of a form. Unreserved characters stay; everything else becomes `%XX`.
fn encoded(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// Sends a request, and reads the JSON of a successful answer.
async fn read<T: DeserializeOwned>(what: &'static str, request: RequestBuilder) -> Result<T, OidcError> {
    let fault = |detail: String| OidcError::Provider(what, detail);
    // Without the URL, which might have a code in it.
    let failed = |error: reqwest::Error| fault(error.without_url().to_string());
    let mut response = request.send().await.map_err(failed)?;
    let status = response.status();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        body.extend_from_slice(&chunk);
        if body.len() > LARGEST {
            return Err(fault("its answer is too large".to_owned()));
        }
    }
    if !status.is_success() {
        return Err(fault(format!("answers {status}{}", error_code(&body))));
    }
    serde_json::from_slice(&body).map_err(|error| fault(error.to_string()))
}

/// The `error` of an OAuth error response (RFC 6749, section 5.2), if it looks like one.
fn error_code(body: &[u8]) -> String {
    #[derive(Deserialize)]
    struct ErrorResponse {
        error: String,
    }
    let error = serde_json::from_slice(body).map(|ErrorResponse { error }| error);
    let plain = |error: &String| {
        error.len() <= 60 && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
    };
    error.ok().filter(plain).map_or_else(String::new, |error| format!(" ({error})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_to_https_or_to_this_machine_only() {
        for (url, right) in [
            ("https://id.example", true),
            ("http://127.0.0.1:9000/realm", true),
            ("http://localhost", true),
            ("http://id.example", false),
            ("http://127.0.0.1.example", false),
            ("id.example", false),
            ("javascript:alert(1)", false),
        ] {
            assert_eq!(check_url(url).is_ok(), right, "{url}");
        }
    }

    #[test]
    fn an_old_authentication_is_not_recent() {
        let client = |has_auth_time| {
            let text = || "https://id.example".to_owned();
            let (name, issuer, client_id, redirect_uri) = (text(), text(), text(), text());
            let configuration = OidcConfiguration {
                name,
                issuer,
                client_id,
                client_secret: None,
                redirect_uri,
                has_auth_time,
            };
            OidcClient::new(configuration).unwrap()
        };
        let subject = |authenticated_at| Subject {
            issuer: "https://id.example".to_owned(),
            subject: "1".to_owned(),
            authenticated_at,
        };
        // Asked at 1000, back at 1100.
        for (at, right) in
            [(Some(939), false), (Some(940), true), (Some(1160), true), (Some(1161), false), (None, false)]
        {
            assert_eq!(client(true).is_authenticated_since(&subject(at), 1000, 1100), right, "{at:?}");
        }
        assert!(client(false).is_authenticated_since(&subject(None), 1000, 1100));
        assert!(!client(false).is_authenticated_since(&subject(Some(0)), 1000, 1100));
    }
}
