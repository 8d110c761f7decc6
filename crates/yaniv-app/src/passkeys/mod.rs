//! Passkeys (`docs/decisions/0031-passkeys.md`).
//!
//! `add`: a browser creates a passkey for an account. `credentials`: list and remove them. `log_in`: log in with one.

pub mod add;
pub mod credentials;
pub mod log_in;

use chrono::TimeDelta;
use serde_json::Value;
use yaniv_auth::passkeys::{ChallengeHash, Passkeys};
use yaniv_db::Connection;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::passkeys::challenges::{PasskeyChallengeRow, passkey_challenge_insert_in_txn};
use yaniv_model::ids::SessionId;

use crate::kernel::bounds;
use crate::{ServiceError, Services};

/// How long a browser may take to answer a challenge.
pub const ANSWER_WITHIN: TimeDelta = TimeDelta::minutes(5);
/// Maximum number of passkeys of an account.
pub const MOST_PASSKEYS: usize = bounds::PASSKEYS.at_once;

impl Services {
    /// With passkeys at this address, if browsers allow them there.
    #[must_use]
    pub fn with_passkeys(mut self, public_url: Option<&str>) -> Self {
        self.passkeys = public_url.and_then(Passkeys::at);
        self
    }

    /// Whether players can log in with passkeys.
    #[must_use]
    pub fn has_passkeys(&self) -> bool {
        self.passkeys.is_some()
    }

    fn relying_party(&self) -> Result<&Passkeys, ServiceError> {
        self.passkeys.as_ref().ok_or(ServiceError::PasskeysOff)
    }
}

/// Stores a challenge of a session, or of a log-in.
async fn store_challenge(
    connection: &Connection,
    hash: ChallengeHash,
    session: Option<SessionId>,
    state: Value,
) -> Result<(), ServiceError> {
    let row = PasskeyChallengeRow {
        hash: hash.to_vec(),
        session_id: session.map(|session| session.0),
        state,
        expires_at: clock_read(connection).await? + ANSWER_WITHIN,
    };
    Ok(passkey_challenge_insert_in_txn(connection, &row).await?)
}
