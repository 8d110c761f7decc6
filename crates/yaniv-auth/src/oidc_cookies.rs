//! What a browser keeps of a log-in by an OpenID Connect provider: its secrets on the way to the provider, and the proven
//! identity afterwards. Sealed, so that the service needs to store neither.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::opaque::Seal;

/// Prefixes of the sealed data, so that one never passes for the other.
const LOG_IN: &[u8] = b"yaniv oidc log-in";
const IDENTITY: &[u8] = b"yaniv oidc identity";

/// A log-in on its way to the provider and back. No `Debug`: it has secrets.
#[derive(Clone, Serialize, Deserialize)]
pub struct PendingLogIn {
    /// Binds the answer to the browser.
    pub state: String,
    /// Binds the ID token to the log-in.
    pub nonce: String,
    /// Code verifier (PKCE).
    pub verifier: String,
    /// Path to which the browser returns.
    pub return_to: String,
    /// Whether the provider has to reauthenticate the player: ask for the password, even if the browser is logged in there.
    pub reauthenticate: bool,
    /// Seconds since 1970.
    pub expires_at: i64,
}

/// An identity that the browser has proven.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProvenIdentity {
    /// Issuer.
    pub issuer: String,
    /// The user at the issuer.
    pub subject: String,
    /// Whether the provider has reauthenticated the player. Such a proof confirms a change; any other one logs in.
    pub reauthenticated: bool,
    /// Seconds since 1970.
    pub expires_at: i64,
}

impl Seal {
    /// Seals a log-in.
    pub fn pending_log_in(&self, log_in: &PendingLogIn) -> String {
        self.seal_json(LOG_IN, log_in)
    }

    /// A log-in; none if the seal is invalid or it has expired.
    pub fn open_pending_log_in(&self, cookie: &str, now: i64) -> Option<PendingLogIn> {
        self.open_json(LOG_IN, cookie).filter(|log_in: &PendingLogIn| now < log_in.expires_at)
    }

    /// Seals an identity.
    pub fn proven_identity(&self, identity: &ProvenIdentity) -> String {
        self.seal_json(IDENTITY, identity)
    }

    /// An identity; none if the seal is invalid or it has expired.
    pub fn open_proven_identity(&self, cookie: &str, now: i64) -> Option<ProvenIdentity> {
        self.open_json(IDENTITY, cookie).filter(|identity: &ProvenIdentity| now < identity.expires_at)
    }

    fn seal_json<T: Serialize>(&self, kind: &[u8], value: &T) -> String {
        // Texts, numbers and booleans can always be printed.
        self.sealed(kind, serde_json::to_vec(value).unwrap_or_default())
    }

    fn open_json<T: DeserializeOwned>(&self, kind: &[u8], text: &str) -> Option<T> {
        serde_json::from_slice(&self.opened(kind, text)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_opens_with_its_key_as_what_it_is_until_it_expires() {
        let (seal, other) = (Seal::new(&[7; 32]), Seal::new(&[8; 32]));
        let identity = ProvenIdentity {
            issuer: "https://id.example".to_owned(),
            subject: "1".to_owned(),
            reauthenticated: false,
            expires_at: 100,
        };
        let cookie = seal.proven_identity(&identity);
        assert_eq!(seal.open_proven_identity(&cookie, 99), Some(identity));
        assert_eq!(seal.open_proven_identity(&cookie, 100), None);
        assert_eq!(other.open_proven_identity(&cookie, 99), None);
        assert!(seal.open_pending_log_in(&cookie, 99).is_none());
        let log_in = PendingLogIn {
            state: "a".to_owned(),
            nonce: "b".to_owned(),
            verifier: "c".to_owned(),
            return_to: "/".to_owned(),
            reauthenticate: true,
            expires_at: 100,
        };
        let cookie = seal.pending_log_in(&log_in);
        assert_eq!(seal.open_pending_log_in(&cookie, 99).map(|log_in| log_in.state).as_deref(), Some("a"));
        assert!(seal.open_pending_log_in(&cookie, 100).is_none());
        assert!(seal.open_proven_identity(&cookie, 99).is_none());
    }
}
