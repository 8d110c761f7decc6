//! Options for the browser, in the JSON that `PublicKeyCredential.parseCreationOptionsFromJSON` and
//! `parseRequestOptionsFromJSON` take (WebAuthn, level 3).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::passkeys::ANSWER_WITHIN;
use yaniv_app::passkeys::add::PasskeyStart;
use yaniv_auth::passkeys::RequestOptions;

/// The only type of a credential.
const TYPE: &str = "public-key";
/// Every request is for discoverable passkeys that verify their user.
const REQUIRED: &str = "required";

/// Options to create a passkey, good for one answer.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyOptions)]
pub struct PasskeyOptionsBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Until when they can be answered: five minutes after their creation.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// For `PublicKeyCredential.parseCreationOptionsFromJSON`; its result is `publicKey` of `navigator.credentials.create`.
    pub public_key: CreationOptionsBody,
}

/// Options to log in with a passkey, good for one answer.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyLogInOptions)]
pub struct PasskeyLogInOptionsBody {
    /// The server's time when it answered.
    #[serde(serialize_with = "crate::values::time::print")]
    pub server_time: DateTime<Utc>,
    /// Until when they can be answered: five minutes after their creation.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// For `PublicKeyCredential.parseRequestOptionsFromJSON`; its result is `publicKey` of `navigator.credentials.get`.
    pub public_key: RequestOptionsBody,
}

/// `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. Byte strings are base64url without padding.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeyCreationOptions)]
pub struct CreationOptionsBody {
    /// The service.
    pub rp: RelyingPartyBody,
    /// The account.
    pub user: PasskeyUserBody,
    /// What the authenticator signs.
    #[schema(max_length = 100, examples("3q2-7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs"))]
    pub challenge: String,
    /// Accepted algorithms, the preferred one first.
    #[schema(max_items = 20)]
    pub pub_key_cred_params: Vec<PasskeyAlgorithmBody>,
    /// In milliseconds.
    #[schema(minimum = 1, examples(300_000))]
    pub timeout: i32,
    /// The passkeys that the account has already.
    #[schema(max_items = 20)]
    pub exclude_credentials: Vec<PasskeyDescriptorBody>,
    /// What the authenticator has to be able to do.
    pub authenticator_selection: AuthenticatorSelectionBody,
    /// Attestation: always `none`, as the model of the authenticator is not requested.
    #[schema(max_length = 20, examples("none"))]
    pub attestation: String,
}

/// `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. Byte strings are base64url without padding.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeyRequestOptions)]
pub struct RequestOptionsBody {
    /// What the authenticator signs.
    #[schema(max_length = 100, examples("3q2-7wABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhs"))]
    pub challenge: String,
    /// In milliseconds.
    #[schema(minimum = 1, examples(300_000))]
    pub timeout: i32,
    /// Domain of the service.
    #[schema(max_length = 253, examples("yaniv.example"))]
    pub rp_id: String,
    /// Always empty: the browser offers the passkeys that it has.
    #[schema(max_items = 20)]
    pub allow_credentials: Vec<PasskeyDescriptorBody>,
    /// Always `required`.
    #[schema(max_length = 20, examples("required"))]
    pub user_verification: String,
}

/// The service, as the authenticator stores it.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyRelyingParty)]
pub struct RelyingPartyBody {
    /// Domain of the service.
    #[schema(max_length = 253, examples("yaniv.example"))]
    pub id: String,
    /// Its name.
    #[schema(max_length = 60, examples("Yaniv"))]
    pub name: String,
}

/// The account, as the authenticator stores it.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeyUser)]
pub struct PasskeyUserBody {
    /// Identifier: the bytes of `account_id`.
    #[schema(max_length = 86, examples("AZOqAAAAcACAAAAAAAAAAQ"))]
    pub id: String,
    /// Username.
    #[schema(max_length = 20, examples("ada"))]
    pub name: String,
    /// Display name or, without one, the username.
    #[schema(max_length = 30, examples("Ada Lovelace"))]
    pub display_name: String,
}

/// An algorithm of signatures.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyAlgorithm)]
pub struct PasskeyAlgorithmBody {
    /// Always `public-key`.
    #[serde(rename = "type")]
    #[schema(max_length = 20, examples("public-key"))]
    pub kind: String,
    /// Its number in the registry of COSE.
    #[schema(examples(-7))]
    pub alg: i32,
}

/// A passkey, as authenticators know it.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyDescriptor)]
pub struct PasskeyDescriptorBody {
    /// Always `public-key`.
    #[serde(rename = "type")]
    #[schema(max_length = 20, examples("public-key"))]
    pub kind: String,
    /// Identifier of the credential.
    #[schema(max_length = 1364, examples("AQIDBAUGBwgJCgsMDQ4PEA"))]
    pub id: String,
}

/// What the authenticator has to be able to do.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PasskeyAuthenticatorSelection)]
pub struct AuthenticatorSelectionBody {
    /// Always `required`: the passkey is found without a username.
    #[schema(max_length = 20, examples("required"))]
    pub resident_key: String,
    /// The same, for older browsers.
    #[schema(examples(true))]
    pub require_resident_key: bool,
    /// Always `required`: the device asks for a fingerprint, a face or a code.
    #[schema(max_length = 20, examples("required"))]
    pub user_verification: String,
}

impl PasskeyOptionsBody {
    /// The options with the server's time.
    pub fn new(start: PasskeyStart, now: DateTime<Utc>) -> Self {
        let PasskeyStart { options, account, username, display_name } = start;
        let algorithm =
            |alg: i64| Some(PasskeyAlgorithmBody { kind: TYPE.to_owned(), alg: i32::try_from(alg).ok()? });
        let descriptor =
            |id: Vec<u8>| PasskeyDescriptorBody { kind: TYPE.to_owned(), id: URL_SAFE_NO_PAD.encode(id) };
        let public_key = CreationOptionsBody {
            rp: RelyingPartyBody { id: options.rp_id, name: options.rp_name },
            user: PasskeyUserBody {
                id: URL_SAFE_NO_PAD.encode(account.as_bytes()),
                name: username,
                display_name,
            },
            challenge: URL_SAFE_NO_PAD.encode(options.challenge),
            pub_key_cred_params: options.algorithms.into_iter().filter_map(algorithm).collect(),
            timeout: timeout(),
            exclude_credentials: options.exclude.into_iter().map(descriptor).collect(),
            authenticator_selection: AuthenticatorSelectionBody {
                resident_key: REQUIRED.to_owned(),
                require_resident_key: true,
                user_verification: REQUIRED.to_owned(),
            },
            attestation: "none".to_owned(),
        };
        Self { server_time: now, expires_at: now + ANSWER_WITHIN, public_key }
    }
}

impl PasskeyLogInOptionsBody {
    /// The options with the server's time.
    pub fn new(options: RequestOptions, now: DateTime<Utc>) -> Self {
        let public_key = RequestOptionsBody {
            challenge: URL_SAFE_NO_PAD.encode(options.challenge),
            timeout: timeout(),
            rp_id: options.rp_id,
            allow_credentials: Vec::new(),
            user_verification: REQUIRED.to_owned(),
        };
        Self { server_time: now, expires_at: now + ANSWER_WITHIN, public_key }
    }
}

fn timeout() -> i32 {
    i32::try_from(ANSWER_WITHIN.num_milliseconds()).unwrap_or(i32::MAX)
}
