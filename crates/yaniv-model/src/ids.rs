//! Typed identifiers: UUIDs with a distinct type per kind.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Identifies an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct AccountId(pub Uuid);

/// Identifies a match; its printed form is part of every shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct MatchId(pub Uuid);

/// Identifies a session: a login on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub Uuid);

/// Identifies a personal token; not the token itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(pub Uuid);

/// Identifies a pairing request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairingId(pub Uuid);

/// Identifies a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChallengeId(pub Uuid);

/// Identifies a vacation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VacationId(pub Uuid);

/// Identifies a notification channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelId(pub Uuid);

/// The smallest identifier generated at a time or later: they begin with milliseconds.
pub fn first_id_of(time: DateTime<Utc>) -> Option<Uuid> {
    let millis = u64::try_from(time.timestamp_millis()).ok().filter(|millis| millis >> 48 == 0)?;
    Some(Uuid::from_u128(u128::from(millis) << 80))
}

impl AccountId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl MatchId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl SessionId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl TokenId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl PairingId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl ChallengeId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl VacationId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl ChannelId {
    /// Generates an identifier that sorts after all earlier ones.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl std::fmt::Display for MatchId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for AccountId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for PairingId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl std::fmt::Display for ChallengeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}
