//! Challenges, and offers of rematches, which are also challenges.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::matchmaking::challenge_view::{Challenge, ChallengeAnswer, Member};

use crate::match_view::printed_rules::PrintedRules;
use crate::match_view::rule_set_body::RuleSetBody;
use crate::match_view::time_control_body::TimeControlBody;

/// A challenge.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Challenge)]
pub struct ChallengeBody {
    /// The server's time when it answered; in the response to a write, the time of the write. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Identifier of the challenge.
    pub challenge_id: Uuid,
    /// `open`, `accepted` by all, `declined`, `withdrawn` or `expired`. New ones may come.
    #[schema(max_length = 16, examples("open"))]
    pub status: String,
    /// `outgoing` if you made it, otherwise `incoming`.
    #[schema(max_length = 16, examples("outgoing"))]
    pub direction: String,
    /// Whether the challenge is open and you have not answered it.
    pub waits_for_you: bool,
    /// The match that was started. Left out until all members have accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The finished match, if this is an offer of a rematch; otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub rematch_of: Option<Uuid>,
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// The rule set.
    #[schema(value_type = RuleSetBody)]
    pub rules: PrintedRules,
    /// Number of players.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// Time control, and what happens after missed deadlines.
    pub time_control: TimeControlBody,
    /// `joined`: seats in the order of `members`; `random`: drawn at the start, from the committed seed.
    #[schema(max_length = 16, examples("joined"))]
    pub seat_order: String,
    /// Commitment to all shuffles of the match, fixed when the challenge was made: SHA-256 of the seed of round 1, in
    /// hexadecimal.
    #[schema(
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("e6d0a1ca79d18fd448dd518f9dadf344ecc0e02c344aaf9b9d2d3ea758688343")
    )]
    pub commitment: String,
    /// The members with their answers, the challenger first.
    #[schema(max_items = 10)]
    pub members: Vec<ChallengeMemberBody>,
    /// When the challenge was made.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the challenge expires: it cannot be answered after that.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// When it was accepted by all, declined or withdrawn. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub ended_at: Option<DateTime<Utc>>,
}

/// A member of a challenge: the challenger or an opponent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChallengeMember)]
pub struct ChallengeMemberBody {
    /// The account's name.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Display name. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Bob Marley"))]
    pub display_name: Option<String>,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// `none` yet, `accepted` (the challenger, from the start) or `declined`. New ones may come.
    #[schema(max_length = 16, examples("none"))]
    pub answer: String,
    /// Reason for declining, as in `declineChallenge`. Left out unless declined. New ones may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("not_now"))]
    pub decline_reason: Option<String>,
    /// When they answered. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub answered_at: Option<DateTime<Utc>>,
}

/// A page of your challenges.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChallengeList)]
pub struct ChallengeListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The newest first.
    #[schema(max_items = 100)]
    pub items: Vec<ChallengeSummaryBody>,
    /// Value of `cursor` for the next page. Left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, examples("0193aa00000070008000000000000001"))]
    pub next_cursor: Option<String>,
}

/// Summary of a challenge.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ChallengeSummary)]
pub struct ChallengeSummaryBody {
    /// Identifier of the challenge.
    pub challenge_id: Uuid,
    /// `open`, `accepted` by all, `declined`, `withdrawn` or `expired`. New ones may come.
    #[schema(max_length = 16, examples("open"))]
    pub status: String,
    /// `outgoing` if you made it, otherwise `incoming`.
    #[schema(max_length = 16, examples("incoming"))]
    pub direction: String,
    /// Whether the challenge is open and you have not answered it.
    pub waits_for_you: bool,
    /// The match that was started. Left out until all members have accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// The finished match, if this is an offer of a rematch; otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub rematch_of: Option<Uuid>,
    /// Preset with exactly these rules. Left out if there is none; `getChallenge` shows the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// Number of players.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// The members with their answers, the challenger first.
    #[schema(max_items = 10)]
    pub members: Vec<ChallengeMemberBody>,
    /// When the challenge was made.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the challenge expires: it cannot be answered after that.
    #[serde(serialize_with = "crate::values::time::print")]
    pub expires_at: DateTime<Utc>,
    /// When it was accepted by all, declined or withdrawn. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub ended_at: Option<DateTime<Utc>>,
}

impl From<Challenge> for ChallengeBody {
    fn from(challenge: Challenge) -> Self {
        Self {
            server_time: None,
            challenge_id: challenge.id.0,
            status: challenge.status.as_str().to_owned(),
            direction: direction(&challenge),
            waits_for_you: challenge.waits_for_you,
            match_id: challenge.match_id.map(|id| id.0),
            rematch_of: challenge.rematch_of.map(|id| id.0),
            rules: PrintedRules::of(challenge.preset.as_deref(), challenge.rules.options()),
            preset: challenge.preset,
            time_control: TimeControlBody::from(challenge.time_control),
            size: i32::from(challenge.size),
            rated: challenge.rated,
            seat_order: challenge.seat_order,
            commitment: challenge.commitment,
            members: challenge.members.into_iter().map(ChallengeMemberBody::from).collect(),
            created_at: challenge.created_at,
            expires_at: challenge.expires_at,
            ended_at: challenge.ended_at,
        }
    }
}

impl From<ChallengeAnswer> for ChallengeBody {
    fn from(answer: ChallengeAnswer) -> Self {
        Self { server_time: Some(answer.at), ..Self::from(answer.challenge) }
    }
}

impl From<Member> for ChallengeMemberBody {
    fn from(member: Member) -> Self {
        Self {
            username: member.username,
            display_name: member.display_name,
            bot: member.bot,
            answer: member.answer.as_str().to_owned(),
            decline_reason: member.reason,
            answered_at: member.answered_at,
        }
    }
}

impl From<Page<Challenge>> for ChallengeListBody {
    fn from(page: Page<Challenge>) -> Self {
        Self {
            server_time: None,
            items: page.items.into_iter().map(ChallengeSummaryBody::from).collect(),
            next_cursor: page.next_cursor,
        }
    }
}

impl From<Challenge> for ChallengeSummaryBody {
    fn from(challenge: Challenge) -> Self {
        Self {
            challenge_id: challenge.id.0,
            status: challenge.status.as_str().to_owned(),
            direction: direction(&challenge),
            waits_for_you: challenge.waits_for_you,
            match_id: challenge.match_id.map(|id| id.0),
            rematch_of: challenge.rematch_of.map(|id| id.0),
            preset: challenge.preset,
            size: i32::from(challenge.size),
            rated: challenge.rated,
            members: challenge.members.into_iter().map(ChallengeMemberBody::from).collect(),
            created_at: challenge.created_at,
            expires_at: challenge.expires_at,
            ended_at: challenge.ended_at,
        }
    }
}

fn direction(challenge: &Challenge) -> String {
    if challenge.outgoing { "outgoing" } else { "incoming" }.to_owned()
}
