//! A request to be paired as its owner sees it, now or when it was answered.

use chrono::{DateTime, Utc};
use yaniv_engine::Rules;

use super::ServiceError;
use super::pace::Pace;
use crate::ids::{MatchId, PairingId};
use crate::store::pairings::PairingRow;
use crate::store::wishes::WishRow;

/// A request to be paired, as its owner sees it.
#[derive(Debug)]
pub struct Pairing {
    /// Its identifier.
    pub id: PairingId,
    /// What has become of it.
    pub status: PairingStatus,
    /// The match, once there is one.
    pub match_id: Option<MatchId>,
    /// The rule set.
    pub rules: Rules,
    /// Clock, and what is done for absent players.
    pub pace: Pace,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Players.
    pub size: i16,
    /// Whether the match counts for ratings.
    pub rated: bool,
    /// What the shuffles of the match are bound to.
    pub commitment: String,
    /// When it was asked for.
    pub created_at: DateTime<Utc>,
    /// When it no longer counts, unless it has been paired.
    pub expires_at: DateTime<Utc>,
    /// When the match was made.
    pub paired_at: Option<DateTime<Utc>>,
}

/// What has become of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingStatus {
    /// Too few wish the same yet.
    Waiting,
    /// There is a match.
    Paired,
    /// It was taken back.
    Withdrawn,
    /// Nobody came in time.
    Expired,
}

/// The answer of a write.
#[derive(Debug)]
pub struct PairingAnswer {
    /// The request after it.
    pub pairing: Pairing,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// Whether the same key had been answered before.
    pub replayed: bool,
}

impl PairingStatus {
    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Paired => "paired",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }
}

impl Pairing {
    /// A request as it stands at a time.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(super) fn new(row: &PairingRow, wish: &WishRow, now: DateTime<Utc>) -> Result<Self, ServiceError> {
        let status = match (row.paired_at, row.withdrawn_at) {
            (Some(_), _) => PairingStatus::Paired,
            (None, Some(at)) if at < row.expires_at => PairingStatus::Withdrawn,
            (None, None) if now < row.expires_at => PairingStatus::Waiting,
            (None, _) => PairingStatus::Expired,
        };
        Ok(Self {
            id: PairingId(row.id),
            status,
            match_id: row.paired_at.map(|_| row.group()),
            rules: yaniv_engine::rules_from_json(&wish.rules).map_err(ServiceError::internal)?,
            pace: Pace::from_stored(wish.pace.as_ref())?,
            preset: wish.preset.clone(),
            size: wish.size,
            rated: wish.rated,
            commitment: row.commitment.clone(),
            created_at: row.created_at,
            expires_at: row.expires_at,
            paired_at: row.paired_at,
        })
    }
}

impl PairingAnswer {
    /// The request as it stood at a time: what came later is not in it, so that an answer can be given again.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(super) fn at(
        mut row: PairingRow,
        wish: &WishRow,
        at: DateTime<Utc>,
        replayed: bool,
    ) -> Result<Self, ServiceError> {
        row.paired_at = row.paired_at.filter(|paired_at| *paired_at <= at);
        row.withdrawn_at = row.withdrawn_at.filter(|withdrawn_at| *withdrawn_at <= at);
        Ok(Self { pairing: Pairing::new(&row, wish, at)?, at, replayed })
    }
}
