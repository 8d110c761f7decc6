//! Password hashing with argon2id, on blocking threads and with bounded concurrency: each hash takes 19 MiB
//! and a core for tens of milliseconds.

use std::sync::Arc;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use passwords::analyzer::is_common_password;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Minimum password length, in characters.
pub const MIN_LENGTH: usize = 8;
/// Maximum password length, in characters.
pub const MAX_LENGTH: usize = 128;
/// Maximum length of the hashing queue; further requests are rejected.
const QUEUE: usize = 32;

/// Why a password could not be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// The hashing queue is full.
    #[error("too many passwords are being checked")]
    Busy,
    /// A stored hash is damaged, or the hashing task failed.
    #[error("password hashing failed: {0}")]
    Failed(String),
}

/// Whether a password is easily guessed: one of the hundred thousand most common, ignoring case and
/// surrounding spaces, or a single repeated character.
pub fn is_common(password: &str) -> bool {
    let trimmed = password.trim();
    let mut characters = trimmed.chars();
    let first = characters.next();
    characters.all(|character| Some(character) == first)
        || is_common_password(trimmed)
        || is_common_password(trimmed.to_lowercase())
}

/// Hashes and verifies with OWASP's minimum parameters (19 MiB, 2 passes), the defaults of argon2.
#[derive(Clone)]
pub struct Passwords {
    running: Arc<Semaphore>,
    queued: Arc<Semaphore>,
}

/// A place in the hashing queue.
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

/// Dummy hash, verified when the account does not exist, so that timing reveals nothing.
///
/// A constant: to compute it at the start would take 19 MiB, which the allocator keeps.
const DUMMY_HASH: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdCAxNg$U6OJUMWD6q7dnWeBwqXG73rSyaViIDgI2NrRTQPdVjA";

impl Passwords {
    /// Creates a hasher that runs at most `at_once` hashes concurrently.
    pub fn new(at_once: usize) -> Self {
        Self {
            running: Arc::new(Semaphore::new(at_once.max(1))),
            queued: Arc::new(Semaphore::new(at_once.max(1).saturating_add(QUEUE))),
        }
    }

    /// Enters the hashing queue.
    ///
    /// # Errors
    /// `Busy` if the queue is full.
    pub fn enter(&self) -> Result<Place, PasswordError> {
        let permit = Arc::clone(&self.queued).try_acquire_owned().map_err(|_| PasswordError::Busy)?;
        Ok(Place { _permit: permit })
    }

    /// The PHC string of a password, with a random salt.
    ///
    /// # Errors
    /// `Busy` if the queue is full.
    pub async fn hash(&self, password: String) -> Result<String, PasswordError> {
        let place = self.enter()?;
        self.run(place, move || {
            Argon2::default()
                .hash_password(password.as_bytes())
                .map(|hash| hash.to_string())
                .map_err(|error| PasswordError::Failed(error.to_string()))
        })
        .await?
    }

    /// Whether the password matches the hash; without a hash, does the same work and fails.
    ///
    /// # Errors
    /// `Failed` if the hash is damaged.
    pub async fn verify(
        &self,
        place: Place,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, PasswordError> {
        self.run(place, move || {
            let real = hash.is_some();
            let phc = hash.as_deref().unwrap_or(DUMMY_HASH);
            let parsed = PasswordHash::new(phc).map_err(|error| PasswordError::Failed(error.to_string()))?;
            Ok(Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok() && real)
        })
        .await?
    }

    async fn run<T: Send + 'static>(
        &self,
        _place: Place,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, PasswordError> {
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| PasswordError::Busy)?;
        // The permit moves into the task: a client that disconnects does not free a slot before its hash
        // ends.
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        })
        .await
        .map_err(|error| PasswordError::Failed(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dummy_hash_takes_the_same_work_as_a_real_one() {
        let real = Argon2::default().hash_password(b"a password").unwrap().to_string();
        let work = |phc: &str| {
            PasswordHash::new(phc).map(|hash| {
                let lengths = (hash.salt.map(|salt| salt.len()), hash.hash.map(|hash| hash.len()));
                (hash.algorithm.to_string(), hash.version, hash.params.to_string(), lengths)
            })
        };
        assert_eq!(work(DUMMY_HASH).unwrap(), work(&real).unwrap());
        let parsed = PasswordHash::new(DUMMY_HASH).unwrap();
        assert!(Argon2::default().verify_password(b"nobody's password", &parsed).is_ok());
    }
}
