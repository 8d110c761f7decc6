//! What a browser answers: `PublicKeyCredential.toJSON()` (WebAuthn, level 3). Members that the service does not need are
//! ignored, as browsers add new ones.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_auth::passkeys::{Assertion, Attestation};

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// Maximum length of the identifier of a credential: 1023 bytes as base64url.
const LONGEST_ID: usize = 1364;
/// Maximum length of client data and of authenticator data, as base64url.
const LONGEST_DATA: usize = 4096;
/// Maximum length of an attestation object, as base64url.
const LONGEST_ATTESTATION: usize = 8192;
/// Maximum length of a signature, as base64url.
const LONGEST_SIGNATURE: usize = 2048;
/// Maximum length of a user handle: 64 bytes as base64url.
const LONGEST_HANDLE: usize = 86;

/// `RegistrationResponseJSON` of WebAuthn: `toJSON()` of the new credential, whose other members are ignored. Byte strings
/// are base64url without padding.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyRegistration {
    /// Identifier of the credential.
    #[schema(min_length = 1, max_length = 1364, examples("AQIDBAUGBwgJCgsMDQ4PEA"))]
    id: String,
    /// Always `public-key`.
    #[serde(rename = "type")]
    kind: CredentialType,
    /// What the authenticator has made.
    response: PasskeyAttestation,
}

/// `AuthenticatorAttestationResponseJSON` of WebAuthn.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeyAttestation {
    /// What was signed, as JSON.
    #[serde(rename = "clientDataJSON")]
    #[schema(min_length = 1, max_length = 4096, examples("eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0"))]
    client_data_json: String,
    /// The attestation object.
    #[schema(min_length = 1, max_length = 8192, examples("o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg"))]
    attestation_object: String,
}

/// `AuthenticationResponseJSON` of WebAuthn: `toJSON()` of the credential, whose other members are ignored. Byte strings
/// are base64url without padding.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyAuthentication {
    /// Identifier of the credential.
    #[schema(min_length = 1, max_length = 1364, examples("AQIDBAUGBwgJCgsMDQ4PEA"))]
    id: String,
    /// Always `public-key`.
    #[serde(rename = "type")]
    kind: CredentialType,
    /// What the authenticator has made.
    response: PasskeyAssertion,
}

/// `AuthenticatorAssertionResponseJSON` of WebAuthn.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PasskeyAssertion {
    /// What was signed, as JSON.
    #[serde(rename = "clientDataJSON")]
    #[schema(min_length = 1, max_length = 4096, examples("eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0"))]
    client_data_json: String,
    /// Domain, flags and counter.
    #[schema(
        min_length = 1,
        max_length = 4096,
        examples("SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA")
    )]
    authenticator_data: String,
    /// The signature.
    #[schema(min_length = 1, max_length = 2048, examples("MEUCIQDexample"))]
    signature: String,
    /// The account, as the authenticator has it.
    #[schema(min_length = 1, max_length = 86, examples("AZOqAAAAcACAAAAAAAAAAQ"))]
    user_handle: String,
}

/// The type of a credential.
#[derive(Clone, Copy, Deserialize, ToSchema)]
pub(crate) enum CredentialType {
    /// The only one.
    #[serde(rename = "public-key")]
    PublicKey,
}

impl TryFrom<PasskeyRegistration> for Attestation {
    type Error = ApiError;

    fn try_from(credential: PasskeyRegistration) -> Result<Self, ApiError> {
        let PasskeyRegistration { id, kind: CredentialType::PublicKey, response } = credential;
        let PasskeyAttestation { client_data_json, attestation_object } = response;
        Ok(Self {
            credential_id: bytes("credential.id", &id, LONGEST_ID)?,
            client_data: bytes("credential.response.clientDataJSON", &client_data_json, LONGEST_DATA)?,
            attestation_object: bytes(
                "credential.response.attestationObject",
                &attestation_object,
                LONGEST_ATTESTATION,
            )?,
        })
    }
}

impl TryFrom<PasskeyAuthentication> for Assertion {
    type Error = ApiError;

    fn try_from(credential: PasskeyAuthentication) -> Result<Self, ApiError> {
        let PasskeyAuthentication { id, kind: CredentialType::PublicKey, response } = credential;
        let PasskeyAssertion { client_data_json, authenticator_data, signature, user_handle } = response;
        Ok(Self {
            credential_id: bytes("credential.id", &id, LONGEST_ID)?,
            client_data: bytes("credential.response.clientDataJSON", &client_data_json, LONGEST_DATA)?,
            authenticator_data: bytes(
                "credential.response.authenticatorData",
                &authenticator_data,
                LONGEST_DATA,
            )?,
            signature: bytes("credential.response.signature", &signature, LONGEST_SIGNATURE)?,
            user_handle: bytes("credential.response.userHandle", &user_handle, LONGEST_HANDLE)?,
        })
    }
}

/// Decodes base64url.
fn bytes(name: &'static str, text: &str, most: usize) -> Result<Vec<u8>, ApiError> {
    let decoded = (1..=most).contains(&text.len()).then(|| URL_SAFE_NO_PAD.decode(text).ok()).flatten();
    decoded.ok_or_else(|| {
        let detail = format!("must be 1 to {most} characters of base64url without padding");
        ApiError::field(ProblemCode::InvalidBody, name, detail)
    })
}
