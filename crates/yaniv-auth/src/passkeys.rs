//! Passkeys (WebAuthn): options for the browser, and the verification of what it answers. The only code that knows
//! `webauthn-rs`.
//!
//! Passkeys are discoverable and verify the user; attestation is neither asked for nor checked. What has to be kept
//! between options and answer is a state for the caller to store: it is good once.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use webauthn_rs::prelude::{
    DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, Url, Webauthn, WebauthnBuilder, WebauthnError,
};
use webauthn_rs_proto::{
    AuthenticationExtensionsClientOutputs, AuthenticatorAssertionResponseRaw,
    AuthenticatorAttestationResponseRaw, RegistrationExtensionsClientOutputs,
};

/// Name of the service, as browsers may show it.
const NAME: &str = "Yaniv";
/// The only type of a credential.
const TYPE: &str = "public-key";

/// The relying party. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Passkeys(Arc<Webauthn>);

/// Why a passkey was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyError {
    /// What the browser sent does not prove what it should.
    #[error("the credential is refused: {0}")]
    Refused(WebauthnError),
    /// The signature counter did not increase: there may be a copy of the passkey.
    #[error("the signature counter went back")]
    CounterWentBack,
    /// A stored state or passkey cannot be read.
    #[error("what is stored of a passkey cannot be read: {0}")]
    Unreadable(#[from] serde_json::Error),
}

/// A hash of the challenge of a ceremony, by which its state is stored.
pub type ChallengeHash = [u8; 32];

/// Options with which a browser creates a passkey.
pub struct CreationOptions {
    /// The challenge.
    pub challenge: Vec<u8>,
    /// Identifier of the relying party.
    pub rp_id: String,
    /// Name of the relying party.
    pub rp_name: String,
    /// Accepted algorithms (COSE), the preferred one first.
    pub algorithms: Vec<i64>,
    /// Credentials that the account has already.
    pub exclude: Vec<Vec<u8>>,
    /// The state to store.
    pub state: Value,
}

/// Options with which a browser logs in.
pub struct RequestOptions {
    /// The challenge.
    pub challenge: Vec<u8>,
    /// Identifier of the relying party.
    pub rp_id: String,
    /// The state to store.
    pub state: Value,
}

/// What a browser answers when it has created a passkey.
#[derive(Clone)]
pub struct Attestation {
    /// Identifier of the credential.
    pub credential_id: Vec<u8>,
    /// Client data, as JSON.
    pub client_data: Vec<u8>,
    /// Attestation object.
    pub attestation_object: Vec<u8>,
}

/// What a browser answers when it logs in.
#[derive(Clone)]
pub struct Assertion {
    /// Identifier of the credential.
    pub credential_id: Vec<u8>,
    /// Client data, as JSON.
    pub client_data: Vec<u8>,
    /// Authenticator data.
    pub authenticator_data: Vec<u8>,
    /// The signature of both.
    pub signature: Vec<u8>,
    /// The account, as the authenticator has it.
    pub user_handle: Vec<u8>,
}

/// A verified new passkey.
pub struct NewPasskey {
    /// Identifier of the credential.
    pub credential_id: Vec<u8>,
    /// Public key, counter and flags, to store.
    pub stored: Value,
}

impl From<WebauthnError> for PasskeyError {
    fn from(error: WebauthnError) -> Self {
        match error {
            WebauthnError::CredentialPossibleCompromise => Self::CounterWentBack,
            error => Self::Refused(error),
        }
    }
}

impl Passkeys {
    /// The relying party at a public URL; none where browsers would refuse it: passkeys need a domain, and HTTPS, or
    /// HTTP on localhost.
    #[must_use]
    pub fn at(public_url: &str) -> Option<Self> {
        let url = Url::parse(public_url).ok()?;
        let domain = url.domain()?;
        let is_local = domain == "localhost" || domain.ends_with(".localhost");
        if url.scheme() != "https" && !(url.scheme() == "http" && is_local) {
            return None;
        }
        // Without the path, which is no part of the origin.
        let origin = Url::parse(&url.origin().ascii_serialization()).ok()?;
        let relying_party = WebauthnBuilder::new(domain, &origin).ok()?.rp_name(NAME).build().ok()?;
        Some(Self(Arc::new(relying_party)))
    }

    /// Options to create a passkey for an account that has these credentials.
    ///
    /// # Errors
    /// Never with names that an account can have.
    pub fn start_registration(
        &self,
        account: Uuid,
        names: (&str, &str),
        credentials: Vec<Vec<u8>>,
    ) -> Result<CreationOptions, PasskeyError> {
        let (username, display_name) = names;
        let exclude = credentials.clone();
        let started = self.0.start_passkey_registration(account, username, display_name, Some(exclude))?;
        let (options, state) = (started.0.public_key, serde_json::to_value(started.1)?);
        Ok(CreationOptions {
            challenge: options.challenge,
            rp_id: options.rp.id,
            rp_name: options.rp.name,
            algorithms: options.pub_key_cred_params.into_iter().map(|params| params.alg).collect(),
            exclude: credentials,
            state,
        })
    }

    /// Verifies a new passkey.
    ///
    /// # Errors
    /// `Refused`, `Unreadable`.
    pub fn finish_registration(&self, answer: Attestation, state: Value) -> Result<NewPasskey, PasskeyError> {
        let state: PasskeyRegistration = serde_json::from_value(state)?;
        let credential = RegisterPublicKeyCredential {
            id: URL_SAFE_NO_PAD.encode(&answer.credential_id),
            raw_id: answer.credential_id,
            response: AuthenticatorAttestationResponseRaw {
                attestation_object: answer.attestation_object,
                client_data_json: answer.client_data,
                transports: None,
            },
            type_: TYPE.to_owned(),
            extensions: RegistrationExtensionsClientOutputs::default(),
        };
        let passkey = self.0.finish_passkey_registration(&credential, &state)?;
        Ok(NewPasskey { credential_id: passkey.cred_id().to_vec(), stored: serde_json::to_value(passkey)? })
    }

    /// Options to log in with any passkey of this relying party.
    ///
    /// # Errors
    /// Never.
    pub fn start_log_in(&self) -> Result<RequestOptions, PasskeyError> {
        let (options, state) = self.0.start_discoverable_authentication()?;
        let options = options.public_key;
        Ok(RequestOptions {
            challenge: options.challenge,
            rp_id: options.rp_id,
            state: serde_json::to_value(state)?,
        })
    }

    /// Verifies a log-in with a stored passkey of the account; returns what to store of it from now on.
    ///
    /// # Errors
    /// `Refused`, also if the authenticator names another account; `CounterWentBack`, `Unreadable`.
    pub fn finish_log_in(
        &self,
        answer: Assertion,
        state: Value,
        account: Uuid,
        stored: Value,
    ) -> Result<Value, PasskeyError> {
        if answer.user_handle != account.as_bytes() {
            return Err(PasskeyError::Refused(WebauthnError::InvalidUserUniqueId));
        }
        let state: DiscoverableAuthentication = serde_json::from_value(state)?;
        let mut passkey: Passkey = serde_json::from_value(stored)?;
        let credential = PublicKeyCredential {
            id: URL_SAFE_NO_PAD.encode(&answer.credential_id),
            raw_id: answer.credential_id,
            response: AuthenticatorAssertionResponseRaw {
                authenticator_data: answer.authenticator_data,
                client_data_json: answer.client_data,
                signature: answer.signature,
                user_handle: Some(answer.user_handle),
            },
            extensions: AuthenticationExtensionsClientOutputs::default(),
            type_: TYPE.to_owned(),
        };
        let verified = self.0.finish_discoverable_authentication_v2(&credential, state, &passkey)?;
        passkey.update_credential(&verified);
        Ok(serde_json::to_value(passkey)?)
    }
}

/// The hash of a challenge.
#[must_use]
pub fn challenge_hash(challenge: &[u8]) -> ChallengeHash {
    Sha256::digest(challenge).into()
}

/// The hash of the challenge that client data answers, if they can be read.
#[must_use]
pub fn answered_challenge(client_data: &[u8]) -> Option<ChallengeHash> {
    #[derive(Deserialize)]
    struct ClientData {
        challenge: String,
    }
    let ClientData { challenge } = serde_json::from_slice(client_data).ok()?;
    URL_SAFE_NO_PAD.decode(challenge).ok().map(|challenge| challenge_hash(&challenge))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_passkeys_where_browsers_allow_them() {
        for url in ["https://yaniv.example", "https://yaniv.example:8443", "http://localhost:8080"] {
            assert!(Passkeys::at(url).is_some(), "{url}");
        }
        assert!(Passkeys::at("https://yaniv.example/game").is_some());
        for url in ["http://yaniv.example", "https://192.0.2.1", "http://127.0.0.1:8080", "https://[::1]", ""]
        {
            assert!(Passkeys::at(url).is_none(), "{url}");
        }
    }

    #[test]
    fn the_challenge_is_found_in_client_data() {
        let passkeys = Passkeys::at("https://yaniv.example").unwrap();
        let options = passkeys.start_log_in().unwrap();
        let text = URL_SAFE_NO_PAD.encode(&options.challenge);
        let data = format!(r#"{{"type":"webauthn.get","challenge":"{text}","origin":"https://a.example"}}"#);
        assert_eq!(answered_challenge(data.as_bytes()), Some(challenge_hash(&options.challenge)));
        assert_eq!(answered_challenge(b"{}"), None);
        assert_ne!(options.challenge, passkeys.start_log_in().unwrap().challenge);
    }
}
