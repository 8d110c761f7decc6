//! VAPID (RFC 8292): the key that identifies this service to push services and browsers.

use std::sync::Arc;

use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;

/// Lifetime of a signature in seconds; the maximum is a day.
const GOOD_FOR: i64 = 12 * 60 * 60;

/// The VAPID key pair. Cheap to clone; no `Debug` output of the key.
#[derive(Clone)]
pub struct PushKey {
    pair: Arc<EcdsaKeyPair>,
    public: String,
    contact: Option<String>,
}

/// Not a valid private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a push key must be the private key of a P-256 pair: 32 bytes as base64url")]
pub struct NoKey;

#[derive(Serialize)]
struct Claims<'a> {
    aud: &'a str,
    exp: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    sub: Option<&'a str>,
}

impl PushKey {
    /// Builds the key from 32 bytes; `contact` is the address for push services.
    ///
    /// # Errors
    /// If the bytes are no valid private key.
    pub fn new(private: &[u8], contact: Option<String>) -> Result<Self, NoKey> {
        let public = public_of(private)?;
        let pair =
            EcdsaKeyPair::from_private_key_and_public_key(&ECDSA_P256_SHA256_FIXED_SIGNING, private, &public)
                .map_err(|_| NoKey)?;
        Ok(Self { pair: Arc::new(pair), public: URL_SAFE_NO_PAD.encode(public), contact })
    }

    /// The public key for browsers: `applicationServerKey`.
    #[must_use]
    pub fn public(&self) -> &str {
        &self.public
    }

    /// The `Authorization` header for a push service, at a time in seconds since 1970.
    #[must_use]
    pub fn authorization(&self, origin: &str, now: i64) -> Option<String> {
        let claims = Claims { aud: origin, exp: now.saturating_add(GOOD_FOR), sub: self.contact.as_deref() };
        let claims = serde_json::to_vec(&claims).ok()?;
        let head = URL_SAFE_NO_PAD.encode(br#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        Some(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature), self.public))
    }
}

/// Decodes a private key as printed by VAPID key generators.
///
/// # Errors
/// If it is invalid.
pub fn read_private(text: &str) -> Result<Vec<u8>, NoKey> {
    let private = URL_SAFE_NO_PAD.decode(text.trim().trim_end_matches('=')).map_err(|_| NoKey)?;
    public_of(&private).map(|_| private)
}

/// Whether the bytes are a valid private key; nearly all are.
#[must_use]
pub fn is_private(bytes: &[u8]) -> bool {
    public_of(bytes).is_ok()
}

fn public_of(private: &[u8]) -> Result<Vec<u8>, NoKey> {
    if private.len() != 32 {
        return Err(NoKey);
    }
    let key = PrivateKey::from_private_key(&ECDH_P256, private).map_err(|_| NoKey)?;
    Ok(key.compute_public_key().map_err(|_| NoKey)?.as_ref().to_vec())
}
