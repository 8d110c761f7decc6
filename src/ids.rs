//! Identifiers that must not be mixed up. They are UUIDs here and nothing else is known of them.

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

/// Identifies a session: a device on which somebody is logged in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub Uuid);

/// Identifies a personal token; not the token itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TokenId(pub Uuid);

/// Identifies a request to be paired.
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

/// Identifies a channel: somewhere an account wants to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChannelId(pub Uuid);

impl AccountId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl MatchId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl SessionId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl TokenId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl PairingId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl ChallengeId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl VacationId {
    /// A new one, later than all before it.
    pub fn generate() -> Self {
        Self(Uuid::now_v7())
    }
}

impl ChannelId {
    /// A new one, later than all before it.
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
