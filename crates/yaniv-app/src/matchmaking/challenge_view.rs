//! A challenge, as its members see it now or at the time of an earlier answer. The use cases are in
//! `challenges` and `challenge_answers`.

use chrono::{DateTime, Utc};
use yaniv_db::Connection;
use yaniv_db::matchmaking::challenge_members::{ChallengeMemberRow, challenge_member_list};
use yaniv_db::matchmaking::challenges::{ChallengeRow, Standing};
use yaniv_engine::Rules;
use yaniv_match::time_control::TimeControl;
use yaniv_model::ids::{AccountId, ChallengeId, MatchId};

use crate::ServiceError;

/// A challenge, as one of its members sees it.
#[derive(Debug)]
pub struct Challenge {
    /// Its identifier.
    pub id: ChallengeId,
    /// The status.
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
    /// Clock, and handling of absent players.
    pub time_control: TimeControl,
    /// The preset, if the rules are exactly those of one.
    pub preset: Option<String>,
    /// Number of players.
    pub size: i16,
    /// Whether the match is rated.
    pub rated: bool,
    /// `joined` or `random`.
    pub seat_order: String,
    /// Commitment to the match's shuffles.
    pub commitment: String,
    /// The members, the challenger first.
    pub members: Vec<Member>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it expires, unless it has ended before.
    pub expires_at: DateTime<Utc>,
    /// When it was accepted by all, declined or withdrawn.
    pub ended_at: Option<DateTime<Utc>>,
}

/// A member of a challenge.
#[derive(Debug)]
pub struct Member {
    /// The account's name.
    pub username: String,
    /// The account's display name.
    pub display_name: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// The member's answer.
    pub answer: MemberAnswer,
    /// The reason of a refusal.
    pub reason: Option<String>,
    /// When the member answered.
    pub answered_at: Option<DateTime<Utc>>,
}

/// Answer of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberAnswer {
    /// None yet.
    None,
    /// Accepted; the challenger accepts by creating it.
    Accepted,
    /// Declined.
    Declined,
}

/// Status of a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChallengeStatus {
    /// A member has not answered yet.
    Open,
    /// All members have accepted; the match exists.
    Accepted,
    /// A member has declined.
    Declined,
    /// The challenger has withdrawn it.
    Withdrawn,
    /// A member did not answer in time.
    Expired,
}

/// Reason of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DeclineReason {
    /// No reason given.
    #[default]
    NoReason,
    /// Another time may suit.
    NotNow,
    /// The member has enough matches.
    TooManyMatches,
    /// Other rules may suit.
    OtherRules,
    /// Another time control may suit.
    OtherTimeControl,
    /// Another number of players, or other players, may suit.
    OtherPlayers,
    /// No matches with bots.
    NoBots,
    /// Only matches with bots.
    OnlyBots,
}

/// The answer of a write.
#[derive(Debug)]
pub struct ChallengeAnswer {
    /// The challenge after the write.
    pub challenge: Challenge,
    /// When it was written.
    pub at: DateTime<Utc>,
    /// Whether it is the repeated answer of an idempotency key.
    pub replayed: bool,
}

/// A stored challenge with its members.
pub(crate) struct Loaded {
    pub(crate) row: ChallengeRow,
    /// The challenger first.
    pub(crate) members: Vec<ChallengeMemberRow>,
}

impl MemberAnswer {
    /// The printed form.
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

    /// The printed and stored form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Accepted => "accepted",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
        }
    }

    /// Parses the printed form.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    pub(crate) fn standing(self) -> Standing {
        match self {
            Self::Open => Standing::Open,
            Self::Expired => Standing::Expired,
            Self::Accepted | Self::Declined | Self::Withdrawn => Standing::Ended(self.as_str()),
        }
    }
}

impl DeclineReason {
    /// The printed and stored form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoReason => "no_reason",
            Self::NotNow => "not_now",
            Self::TooManyMatches => "too_many_matches",
            Self::OtherRules => "other_rules",
            Self::OtherTimeControl => "other_time_control",
            Self::OtherPlayers => "other_players",
            Self::NoBots => "no_bots",
            Self::OnlyBots => "only_bots",
        }
    }
}

impl Loaded {
    /// Loads the members of a challenge.
    pub(crate) async fn of(connection: &Connection, row: ChallengeRow) -> Result<Self, ServiceError> {
        let members = challenge_member_list(connection, &[row.id]).await?;
        Ok(Self { row, members })
    }

    pub(crate) fn id(&self) -> ChallengeId {
        ChallengeId(self.row.id)
    }

    pub(crate) fn status(&self, now: DateTime<Utc>) -> ChallengeStatus {
        let ended = self.row.outcome.as_deref().and_then(ChallengeStatus::parse);
        let open = if now < self.row.expires_at { ChallengeStatus::Open } else { ChallengeStatus::Expired };
        ended.unwrap_or(open)
    }

    pub(crate) fn member(&self, account: AccountId) -> Option<&ChallengeMemberRow> {
        self.members.iter().find(|member| member.account_id == account.0)
    }

    /// The view of a member.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(crate) fn seen(self, viewer: AccountId, now: DateTime<Utc>) -> Result<Challenge, ServiceError> {
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
            time_control: TimeControl::from_stored(row.pace.as_ref())?,
            seat_order: row.seat_order,
            commitment: row.commitment,
            members: self.members.into_iter().map(Member::from).collect(),
            created_at: row.created_at,
            expires_at: row.expires_at,
            ended_at: row.ended_at,
        })
    }

    /// The answer of a write at a time. Later changes are left out, so that a retry gets the same answer.
    ///
    /// # Errors
    /// If the stored rules are no longer valid.
    pub(crate) fn answer(
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
            display_name: row.display_name,
            bot: row.bot,
            answer,
            reason: row.reason.filter(|_| row.declined_at.is_some()),
            answered_at: row.declined_at.or(row.accepted_at),
        }
    }
}
