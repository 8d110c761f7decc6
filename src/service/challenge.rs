//! A challenge as its members see it, now or when it was answered.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::Rules;

use super::ServiceError;
use super::pace::Pace;
use crate::ids::{AccountId, ChallengeId, MatchId};
use crate::store::challenge_members::{ChallengeMemberRow, challenge_member_list};
use crate::store::challenges::{ChallengeRow, Standing};

/// A challenge, as one of its members sees it.
#[derive(Debug)]
pub struct Challenge {
    /// Its identifier.
    pub id: ChallengeId,
    /// What has become of it.
    pub status: ChallengeStatus,
    /// Whether the viewer made it.
    pub outgoing: bool,
    /// Whether the viewer has to answer.
    pub waits_for_you: bool,
    /// The match, once there is one.
    pub match_id: Option<MatchId>,
    /// The match that it is a rematch of.
    pub rematch_of: Option<MatchId>,
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
    /// `joined` or `random`.
    pub seat_order: String,
    /// What the shuffles of the match are bound to.
    pub commitment: String,
    /// Who is to play, the challenger first.
    pub members: Vec<Member>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it no longer counts, unless it has ended before.
    pub expires_at: DateTime<Utc>,
    /// When it was accepted by all, declined or withdrawn.
    pub ended_at: Option<DateTime<Utc>>,
}

/// Somebody who is to play.
#[derive(Debug)]
pub struct Member {
    /// The account's name.
    pub username: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// What they have said.
    pub answer: MemberAnswer,
    /// Why, if they declined.
    pub reason: Option<String>,
    /// When they said it.
    pub answered_at: Option<DateTime<Utc>>,
}

/// What a member has said to a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberAnswer {
    /// Nothing yet.
    None,
    /// Yes; the challenger by making it.
    Accepted,
    /// No.
    Declined,
}

/// What has become of a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChallengeStatus {
    /// Somebody has not answered yet.
    Open,
    /// There is a match.
    Accepted,
    /// Somebody has declined.
    Declined,
    /// The challenger has taken it back.
    Withdrawn,
    /// Somebody did not answer in time.
    Expired,
}

/// Why somebody declines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeclineReason {
    /// They do not say.
    #[default]
    NoReason,
    /// At another time, perhaps.
    NotNow,
    /// They play as many matches as they like to.
    TooManyMatches,
    /// By other rules, perhaps.
    OtherRules,
    /// Faster or slower, perhaps.
    OtherPace,
    /// With more or fewer people, perhaps, or with others.
    OtherPlayers,
    /// Not with bots.
    NoBots,
    /// With bots alone.
    OnlyBots,
}

/// The answer of a write.
#[derive(Debug)]
pub struct ChallengeAnswer {
    /// The challenge after it.
    pub challenge: Challenge,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// Whether the same key had been answered before.
    pub replayed: bool,
}

/// A challenge and its members, as they are stored.
pub(super) struct Loaded {
    pub(super) row: ChallengeRow,
    /// The challenger first.
    pub(super) members: Vec<ChallengeMemberRow>,
}

impl MemberAnswer {
    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
        }
    }
}

impl ChallengeStatus {
    /// All of them.
    const ALL: [Self; 5] = [Self::Open, Self::Accepted, Self::Declined, Self::Withdrawn, Self::Expired];

    /// As it is printed, and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }

    /// From a word, if it is one of them.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    pub(super) fn standing(self) -> Standing {
        match self {
            Self::Open => Standing::Open,
            Self::Expired => Standing::Expired,
            Self::Accepted | Self::Declined | Self::Withdrawn => Standing::Ended(self.as_str()),
        }
    }
}

impl DeclineReason {
    /// As it is printed, and stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoReason => "no_reason",
            Self::NotNow => "not_now",
            Self::TooManyMatches => "too_many_matches",
            Self::OtherRules => "other_rules",
            Self::OtherPace => "other_pace",
            Self::OtherPlayers => "other_players",
            Self::NoBots => "no_bots",
            Self::OnlyBots => "only_bots",
        }
    }
}

impl Loaded {
    /// A challenge with its members.
    pub(super) async fn of(connection: &AsyncPgConnection, row: ChallengeRow) -> Result<Self, ServiceError> {
        let members = challenge_member_list(connection, &[row.id]).await?;
        Ok(Self { row, members })
    }

    pub(super) fn id(&self) -> ChallengeId {
        ChallengeId(self.row.id)
    }

    pub(super) fn status(&self, now: DateTime<Utc>) -> ChallengeStatus {
        let ended = self.row.outcome.as_deref().and_then(ChallengeStatus::parse);
        let open = if now < self.row.expires_at { ChallengeStatus::Open } else { ChallengeStatus::Expired };
        ended.unwrap_or(open)
    }

    pub(super) fn member(&self, account: AccountId) -> Option<&ChallengeMemberRow> {
        self.members.iter().find(|member| member.account_id == account.0)
    }

    /// What the viewer sees of it.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(super) fn seen(self, viewer: AccountId, now: DateTime<Utc>) -> Result<Challenge, ServiceError> {
        let status = self.status(now);
        let silent = |member: &ChallengeMemberRow| member.accepted_at.is_none();
        let waits_for_you = status == ChallengeStatus::Open && self.member(viewer).is_some_and(silent);
        let row = self.row;
        Ok(Challenge {
            id: ChallengeId(row.id),
            status,
            outgoing: row.challenger_id == viewer.0,
            waits_for_you,
            match_id: (status == ChallengeStatus::Accepted).then_some(MatchId(row.match_id)),
            rematch_of: row.rematch_of.map(MatchId),
            rules: yaniv_engine::rules_from_json(&row.rules).map_err(ServiceError::internal)?,
            preset: row.preset,
            size: row.size,
            rated: row.rated,
            pace: Pace::from_stored(row.pace.as_ref())?,
            seat_order: row.seat_order,
            commitment: row.commitment,
            members: self.members.into_iter().map(Member::from).collect(),
            created_at: row.created_at,
            expires_at: row.expires_at,
            ended_at: row.ended_at,
        })
    }

    /// The answer of a write at a time: what came later is not in it, so that it can be given again.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(super) fn answer(
        mut self,
        viewer: AccountId,
        at: DateTime<Utc>,
        replayed: bool,
    ) -> Result<ChallengeAnswer, ServiceError> {
        if self.row.ended_at.is_some_and(|ended_at| at < ended_at) {
            (self.row.outcome, self.row.ended_at) = (None, None);
        }
        for member in &mut self.members {
            member.accepted_at = member.accepted_at.filter(|accepted_at| *accepted_at <= at);
            member.declined_at = member.declined_at.filter(|declined_at| *declined_at <= at);
        }
        Ok(ChallengeAnswer { challenge: self.seen(viewer, at)?, at, replayed })
    }
}

impl From<ChallengeMemberRow> for Member {
    fn from(row: ChallengeMemberRow) -> Self {
        let answer = match (row.accepted_at, row.declined_at) {
            (_, Some(_)) => MemberAnswer::Declined,
            (Some(_), None) => MemberAnswer::Accepted,
            (None, None) => MemberAnswer::None,
        };
        Self {
            username: row.username,
            bot: row.bot,
            answer,
            reason: row.reason.filter(|_| row.declined_at.is_some()),
            answered_at: row.declined_at.or(row.accepted_at),
        }
    }
}
