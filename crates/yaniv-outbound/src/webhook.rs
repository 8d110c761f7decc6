//! Webhook signatures after Standard Webhooks: authenticate a notification and its time.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Length of a secret in bytes.
pub const SECRET_LENGTH: usize = 32;

/// The secret as shown once to its owner.
#[must_use]
pub fn print_secret(secret: &[u8]) -> String {
    format!("whsec_{}", STANDARD.encode(secret))
}

/// The `webhook-signature` header: one signature per valid secret, newest first.
#[must_use]
pub fn signatures(secrets: &[&[u8]], id: &str, timestamp: i64, body: &[u8]) -> String {
    let signed: Vec<String> = secrets.iter().filter_map(|secret| sign(secret, id, timestamp, body)).collect();
    signed.join(" ")
}

fn sign(secret: &[u8], id: &str, timestamp: i64, body: &[u8]) -> Option<String> {
    // HMAC accepts keys of any length.
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).ok()?;
    mac.update(id.as_bytes());
    mac.update(b".");
    mac.update(timestamp.to_string().as_bytes());
    mac.update(b".");
    mac.update(body);
    Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_that_of_the_standard() {
        // Example of the specification's reference libraries.
        let secret = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signed = signatures(&[&secret], "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(signatures(&[&secret, b"old"], "msg_1", 1, body).split(' ').count(), 2);
    }
}
