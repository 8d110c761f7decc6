//! A pairing request, as its owner sees it now or at the time of an earlier answer. The use cases are in
//! `pairing`.

use chrono::{DateTime, Utc};
use yaniv_db::matchmaking::pairing_criteria::PairingCriteriaRow;
use yaniv_db::matchmaking::pairings::PairingRow;
use yaniv_engine::Rules;
use yaniv_match::time_control::TimeControl;
use yaniv_model::ids::{MatchId, PairingId};

use crate::ServiceError;

/// A pairing request, as its owner sees it.
#[derive(Debug)]
pub struct Pairing {
    /// Its identifier.
    pub id: PairingId,
    /// The status.
    pub status: PairingStatus,
    /// The match, once there is one.
    pub match_id: Option<MatchId>,
    /// The rule set.
    pub rules: Rules,
    /// Clock, and handling of absent players.
    pub time_control: TimeControl,
    /// The preset, if the rules are exactly those of one.
    pub preset: Option<String>,
    /// Number of players.
    pub size: i16,
    /// Whether the match is rated.
    pub rated: bool,
    /// Commitment to the match's shuffles.
    pub commitment: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires, unless it is paired before.
    pub expires_at: DateTime<Utc>,
    /// When the match was created.
    pub paired_at: Option<DateTime<Utc>>,
}

/// Status of a pairing request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairingStatus {
    /// Too few requests with the same criteria yet.
    Waiting,
    /// Paired: the match exists.
    Paired,
    /// It was taken back.
    Withdrawn,
    /// Too few requests came in time.
    Expired,
}

/// The answer of a write.
#[derive(Debug)]
pub struct PairingAnswer {
    /// The request after the write.
    pub pairing: Pairing,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// Whether it is the repeated answer of an idempotency key.
    pub replayed: bool,
}

impl PairingStatus {
    /// The printed form.
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
    /// The view of a request at a time.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(crate) fn new(
        row: &PairingRow,
        wish: &PairingCriteriaRow,
        now: DateTime<Utc>,
    ) -> Result<Self, ServiceError> {
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
            time_control: TimeControl::from_stored(wish.pace.as_ref())?,
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
    /// The answer of a write at a time. Later changes are left out, so that a retry gets the same answer.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(crate) fn at(
        mut row: PairingRow,
        wish: &PairingCriteriaRow,
        at: DateTime<Utc>,
        replayed: bool,
    ) -> Result<Self, ServiceError> {
        row.paired_at = row.paired_at.filter(|paired_at| *paired_at <= at);
        row.withdrawn_at = row.withdrawn_at.filter(|withdrawn_at| *withdrawn_at <= at);
        Ok(Self { pairing: Pairing::new(&row, wish, at)?, at, replayed })
    }
}
