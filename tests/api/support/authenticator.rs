//! An authenticator in software, with one passkey, and the browser before it (WebAuthn, level 3).

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Flags of authenticator data: the user is present, and verified; the credential is attached.
const PRESENT: u8 = 0x01;
const VERIFIED: u8 = 0x04;
const ATTACHED: u8 = 0x40;

/// A passkey.
pub(crate) struct Authenticator {
    key: EcdsaKeyPair,
    id: Vec<u8>,
    rp_id: String,
    /// The account, as the service named it.
    pub(crate) user: Vec<u8>,
    /// The signature counter; an authenticator of today leaves it at 0.
    pub(crate) counter: u32,
    /// Whether it asks for a fingerprint, a face or a code.
    pub(crate) verifies: bool,
    /// The page that asks.
    pub(crate) origin: String,
}

impl Authenticator {
    /// Creates a passkey by the options of the service; returns the answer of the browser as well.
    pub(crate) fn create(origin: &str, options: &Value) -> (Self, Value) {
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
        assert_eq!(options["authenticatorSelection"]["userVerification"], "required");
        assert!(options["pubKeyCredParams"].as_array().unwrap().iter().any(|one| one["alg"] == -7));
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap();
        let id = Sha256::digest(key.public_key()).to_vec();
        let user = bytes(&options["user"]["id"]);
        let rp_id = options["rp"]["id"].as_str().unwrap().to_owned();
        let made = Self { key, id, rp_id, user, counter: 0, verifies: true, origin: origin.to_owned() };
        let answer = made.attest(options);
        (made, answer)
    }

    /// The answer of the browser to options to create a passkey, with this one.
    pub(crate) fn attest(&self, options: &Value) -> Value {
        let mut data = self.data(ATTACHED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        // A map of COSE: the key is of the kind EC2, for ES256, on P-256, with x and y.
        let point = self.key.public_key().as_ref();
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(&point[1..33]);
        data.extend([0x22, 0x58, 0x20]);
        data.extend(&point[33..]);
        // {"fmt": "none", "attStmt": {}, "authData": …} in CBOR.
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".to_vec();
        object.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        object.extend(&data);
        let response = json!({
            "clientDataJSON": text(&self.client_data("webauthn.create", options)),
            "attestationObject": text(&object),
            "transports": ["internal"],
        });
        self.credential(response)
    }

    /// The answer of the browser to options to log in.
    pub(crate) fn assert(&mut self, options: &Value) -> Value {
        assert_eq!(options["rpId"], self.rp_id.as_str());
        assert_eq!(options["userVerification"], "required");
        assert_eq!(options["allowCredentials"], json!([]));
        let (data, client) = (self.data(0), self.client_data("webauthn.get", options));
        let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        let response = json!({
            "clientDataJSON": text(&client),
            "authenticatorData": text(&data),
            "signature": text(signature.as_ref()),
            "userHandle": text(&self.user),
        });
        self.credential(response)
    }

    /// As `PublicKeyCredential.toJSON()` prints it.
    fn credential(&self, response: Value) -> Value {
        json!({
            "id": text(&self.id),
            "rawId": text(&self.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": response,
        })
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(&self.rp_id).to_vec();
        data.push(PRESENT | verified | flags);
        data.extend(self.counter.to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({
            "type": kind,
            "challenge": options["challenge"],
            "origin": self.origin,
            "crossOrigin": false,
        });
        data.to_string().into_bytes()
    }
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn bytes(text: &Value) -> Vec<u8> {
    URL_SAFE_NO_PAD.decode(text.as_str().unwrap()).unwrap()
}
