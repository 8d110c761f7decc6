//! Passwords: argon2id away from the async threads, and never many at once, as each takes 19 MiB and a core for
//! tens of milliseconds.

use std::sync::Arc;
use std::sync::LazyLock;

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Shortest password, in characters.
pub const MIN_LENGTH: usize = 8;
/// Longest password, in characters.
pub const MAX_LENGTH: usize = 128;
/// Requests that may wait for their turn to hash; more are turned away.
const QUEUE: usize = 32;

/// Why a password could not be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum PasswordError {
    /// Too many others are waiting.
    #[error("too many passwords are being checked")]
    Busy,
    /// A stored hash is damaged, or the hashing task died.
    #[error("password hashing failed: {0}")]
    Failed(String),
}

/// Hashes and verifies with the parameters of OWASP's floor (19 MiB, 2 passes), which are argon2's defaults.
#[derive(Clone)]
pub struct Passwords {
    running: Arc<Semaphore>,
    queued: Arc<Semaphore>,
}

/// A place among those who wait for their turn to hash.
pub struct Place {
    _permit: OwnedSemaphorePermit,
}

/// Verified when there is no such account, so that the answer takes as long.
static NOBODY: LazyLock<Option<String>> =
    LazyLock::new(|| Argon2::default().hash_password(b"nobody's password").ok().map(|hash| hash.to_string()));

impl Passwords {
    /// At most `at_once` hashes run at a time.
    pub fn new(at_once: usize) -> Self {
        // Made now: the first log-in with an unknown name must not take longer than others.
        LazyLock::force(&NOBODY);
        Self {
            running: Arc::new(Semaphore::new(at_once.max(1))),
            queued: Arc::new(Semaphore::new(at_once.max(1).saturating_add(QUEUE))),
        }
    }

    /// A place in the queue.
    ///
    /// # Errors
    /// `Busy` if too many are waiting.
    pub fn enter(&self) -> Result<Place, PasswordError> {
        let permit = Arc::clone(&self.queued).try_acquire_owned().map_err(|_| PasswordError::Busy)?;
        Ok(Place { _permit: permit })
    }

    /// The PHC string of a password, with a salt of its own.
    ///
    /// # Errors
    /// `Busy` if too many are waiting.
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

    /// Whether this is the password of the hash; without a hash the same work is done, for nothing.
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
            let phc = hash.or_else(|| NOBODY.clone()).unwrap_or_default();
            let parsed = PasswordHash::new(&phc).map_err(|error| PasswordError::Failed(error.to_string()))?;
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
        // The permit goes with the work: a client that leaves does not make room for another hash.
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop(turn);
            result
        })
        .await
        .map_err(|error| PasswordError::Failed(error.to_string()))
    }
}
