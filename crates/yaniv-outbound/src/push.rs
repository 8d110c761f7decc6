//! Encryption of Web Push messages (RFC 8291, content coding `aes128gcm` of RFC 8188).

use aws_lc_rs::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use aws_lc_rs::agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree};
use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use aws_lc_rs::rand::{SecureRandom, SystemRandom};

/// Length in bytes of a browser's public key.
pub const PUBLIC_LENGTH: usize = 65;
/// Length in bytes of the secret shared with a browser.
pub const AUTH_LENGTH: usize = 16;
/// Announced record size: larger than any message.
const RECORD: u32 = 4096;
/// Messages are padded to a multiple of this, to hide their length.
const STEP: usize = 256;
/// Maximum text length; with overhead, below what push services must accept.
const MOST: usize = 3000;

/// Keys of a browser's subscription.
#[derive(Clone, Copy, Debug)]
pub struct Subscription<'a> {
    /// Its public key, `p256dh`.
    pub public: &'a [u8],
    /// The shared secret, `auth`.
    pub auth: &'a [u8],
}

/// Why a text could not be encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotEncrypted {
    /// A key is invalid.
    #[error("a push could not be encrypted")]
    BadKey,
    /// The text is longer than push services must accept.
    #[error("a push is too long")]
    TooLong,
}

/// Whether the bytes are a valid P-256 public key.
#[must_use]
pub fn is_public_key(bytes: &[u8]) -> bool {
    bytes.len() == PUBLIC_LENGTH
        && PrivateKey::generate(&ECDH_P256).is_ok_and(|own| shared(&own, bytes).is_ok())
}

/// Encrypts a text for a subscription, with a fresh key pair and salt.
///
/// # Errors
/// `NotEncrypted`.
pub fn encrypt(text: &[u8], to: Subscription<'_>) -> Result<Vec<u8>, NotEncrypted> {
    let own = PrivateKey::generate(&ECDH_P256).map_err(|_| NotEncrypted::BadKey)?;
    let mut salt = [0; 16];
    SystemRandom::new().fill(&mut salt).map_err(|_| NotEncrypted::BadKey)?;
    let filled = text.len().saturating_add(1).div_ceil(STEP).saturating_mul(STEP);
    encrypt_with(text, to, &own, salt, filled)
}

fn encrypt_with(
    text: &[u8],
    to: Subscription<'_>,
    own: &PrivateKey,
    salt: [u8; 16],
    filled: usize,
) -> Result<Vec<u8>, NotEncrypted> {
    if text.len() > MOST {
        return Err(NotEncrypted::TooLong);
    }
    if to.auth.len() != AUTH_LENGTH {
        return Err(NotEncrypted::BadKey);
    }
    let public = own.compute_public_key().map_err(|_| NotEncrypted::BadKey)?;
    let secret = shared(own, to.public)?;
    let info = [b"WebPush: info\0", to.public, public.as_ref()];
    let input: [u8; 32] = derived(to.auth, &secret, &info)?;
    let key: [u8; 16] = derived(&salt, &input, &[b"Content-Encoding: aes128gcm\0"])?;
    let nonce: [u8; 12] = derived(&salt, &input, &[b"Content-Encoding: nonce\0"])?;
    // Text, delimiter of the last record, padding.
    let mut record = text.to_vec();
    record.push(2);
    record.resize(filled.max(record.len()), 0);
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).map_err(|_| NotEncrypted::BadKey)?);
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut record)
        .map_err(|_| NotEncrypted::BadKey)?;
    let mut message = salt.to_vec();
    message.extend(RECORD.to_be_bytes());
    message.push(u8::try_from(public.as_ref().len()).map_err(|_| NotEncrypted::BadKey)?);
    message.extend_from_slice(public.as_ref());
    message.append(&mut record);
    Ok(message)
}

fn shared(own: &PrivateKey, public: &[u8]) -> Result<Vec<u8>, NotEncrypted> {
    let peer = UnparsedPublicKey::new(&ECDH_P256, public);
    agree(own, peer, NotEncrypted::BadKey, |secret| Ok(secret.to_vec()))
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

fn derived<const N: usize>(salt: &[u8], input: &[u8], info: &[&[u8]]) -> Result<[u8; N], NotEncrypted> {
    let mut out = [0; N];
    let key = Salt::new(HKDF_SHA256, salt).extract(input);
    let okm = key.expand(info, Length(N)).map_err(|_| NotEncrypted::BadKey)?;
    okm.fill(&mut out).map_err(|_| NotEncrypted::BadKey)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;

    use super::*;

    #[test]
    fn a_message_is_that_of_the_example_in_the_rfc() {
        let bytes = |text: &str| BASE64.decode(text).unwrap();
        let public =
            bytes("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4");
        let auth = bytes("BTBZMqHH6r4Tts7J_aSIgg");
        let own =
            PrivateKey::from_private_key(&ECDH_P256, &bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
                .unwrap();
        let salt: [u8; 16] = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let to = Subscription { public: &public, auth: &auth };
        let text = b"When I grow up, I want to be a watermelon";
        let message = encrypt_with(text, to, &own, salt, 0).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAm\
                        S6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_\
                        Qulcy4a-fN";
        assert_eq!(BASE64.encode(message), expected);
    }

    #[test]
    fn messages_of_nearly_the_same_length_have_the_same_length() {
        let own = PrivateKey::generate(&ECDH_P256).unwrap().compute_public_key().unwrap();
        let to = Subscription { public: own.as_ref(), auth: &[7; 16] };
        let length = |text: &[u8]| encrypt(text, to).unwrap().len();
        assert_eq!(length(b"a"), length(&[b'a'; 255]));
        assert_ne!(length(b"a"), length(&[b'a'; 256]));
        assert_eq!(encrypt(&[0; 3001], to), Err(NotEncrypted::TooLong));
        assert!(!is_public_key(&[4; 65]));
        assert!(is_public_key(own.as_ref()));
    }
}
