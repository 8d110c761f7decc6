//! Idempotency keys: sent by a client with a write, so that it can be retried.

use sha2::{Digest, Sha256};

use crate::ids::{AccountId, MatchId};

/// Idempotency key of a write, with the fingerprint of its request.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    /// 16 to 64 printable characters.
    pub key: String,
    /// Fingerprint: hash of operation, match and body.
    pub fingerprint: i32,
}

impl IdempotencyKey {
    /// The stored hash. Includes the account, so that keys of different accounts do not collide.
    pub fn hash(&self, account: AccountId) -> i64 {
        let hash: [u8; 32] =
            Sha256::new().chain_update(account.0.as_bytes()).chain_update(&self.key).finalize().into();
        i64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
    }
}

/// Write recorded under an idempotency key.
#[derive(Clone, Copy, Debug)]
pub struct StoredKey {
    /// Fingerprint: hash of operation, match and body.
    pub fingerprint: i32,
    /// The match that was changed.
    pub match_id: MatchId,
    /// Version after the write.
    pub version: i32,
    /// Number of log entries of the write; the last has this version.
    pub entries: usize,
}
