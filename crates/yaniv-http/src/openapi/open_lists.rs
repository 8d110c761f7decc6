//! The known values of fields to which new ones may come: `x-extensible-enum`, for programs that complete or check words.
//!
//! They are no `enum`, so that a new value breaks no client. The tests over HTTP compare every answer with these lists.

use serde_json::{Value, json};
use yaniv_app::Language;
use yaniv_app::accounts::relations::Standing;
use yaniv_app::accounts::sign_up_policy::SignUp;
use yaniv_app::matchmaking::challenge_view::{DeclineReason, MemberAnswer};
use yaniv_app::matchmaking::pairing_view::PairingStatus;
use yaniv_app::moderation::decision::DecisionKind;
use yaniv_app::moderation::report::{Reason, ReportState};
use yaniv_app::notifications::{DeliveryStatus, Format, Kind};
use yaniv_app::statistics::worker::CUSTOM;
use yaniv_auth::access::Scope;
use yaniv_bot::Level;
use yaniv_engine::{CallOutcome, PhaseKind, Preset, RuleOptions};
use yaniv_match::standing_orders::VoidReason;

use crate::kernel::problem::ProblemCode;
use crate::values::words::{
    AbsentRule, ChallengeDirection, ChallengeState, ClockKind, MatchResult, MatchStatus, SeatOrder,
    Visibility,
};

/// Fields of answers (`Schema.field`, `Schema.field[]` for the items of a list), and the values that they have.
type List = (&'static [&'static str], fn() -> Vec<&'static str>);

/// The words of a list.
macro_rules! words_of {
    ($type:ident) => {
        || $type::ALL.iter().map(|value| value.as_str()).collect()
    };
    ($type:ident: $($variant:ident)+) => {
        || [$($type::$variant),+].map($type::as_str).to_vec()
    };
}

const LISTS: &[List] = &[
    (
        &[
            "Match.status",
            "MatchPreview.status",
            "MatchSummary.status",
            "HistoryMatch.status",
            "Recap.status",
        ],
        words_of!(MatchStatus),
    ),
    (&["HistoryMatch.visibility", "MatchSettings.visibility"], words_of!(Visibility)),
    (&["HistoryMatch.result"], words_of!(MatchResult)),
    (&["MatchSettings.seat_order", "Challenge.seat_order"], words_of!(SeatOrder)),
    (&["TimeControl.clock"], words_of!(ClockKind)),
    (&["TimeControl.then"], words_of!(AbsentRule)),
    (&["Challenge.direction", "ChallengeSummary.direction"], words_of!(ChallengeDirection)),
    (&["Challenge.status", "ChallengeSummary.status"], words_of!(ChallengeState)),
    (&["ChallengeMember.answer"], words_of!(MemberAnswer: None Accepted Declined)),
    (
        &["ChallengeMember.decline_reason"],
        words_of!(DeclineReason: NoReason NotNow TooManyMatches OtherRules OtherTimeControl OtherPlayers NoBots OnlyBots),
    ),
    (&["Pairing.status"], words_of!(PairingStatus: Waiting Paired Withdrawn Expired)),
    (&["Friend.status"], words_of!(Standing: Friend AskedByYou AsksYou)),
    (&["Account.language"], || Language::ALL.map(Language::tag).to_vec()),
    (&["Server.sign_up"], || [SignUp::Open, SignUp::Invitation, SignUp::Closed].map(SignUp::name).to_vec()),
    (&["Profile.level", "ProfileSummary.level"], words_of!(Level)),
    (&["RoundAnalysis.level"], words_of!(Level: Hard Expert)),
    (&["PersonalToken.scopes[]", "Problem.scope"], || Scope::ALL.map(Scope::name).to_vec()),
    (&["Problem.code"], words_of!(ProblemCode)),
    (&["Table.phase", "ReplayTable.phase"], words_of!(PhaseKind)),
    (&["Answer.answer"], || vec!["expose", "challenge", "stay"]),
    (&["CallEntry.outcome", "RecapCall.outcome"], words_of!(CallOutcome)),
    (&["LogEntry.type"], log_types),
    (&["AccountEvent.type"], || {
        let of_challenges = ["challenged", "challenge_declined", "challenge_withdrawn"];
        log_types().into_iter().chain(of_challenges).collect()
    }),
    (&["AnalysedAction.type"], || {
        vec!["play", "call", "pass", "expose", "challenge", "swap", "stay", "give", "keep", "resign"]
    }),
    (&["AnalysisReason.code"], || {
        vec!["call", "no_call", "draw", "points_left", "cards_kept", "fewer_points"]
    }),
    (&["LogEntry.automatic", "AnalysedDecision.automatic"], || vec!["absent", "bot", "standing_order"]),
    (&["ClockChange.reason"], || {
        vec![
            "turn_began",
            "vacation",
            "quiet_hours",
            "vacation_announced",
            "vacation_cancelled",
            "turn_used",
            "turn_missed",
            "turn_withdrawn",
            "gain",
            "cap",
        ]
    }),
    (&["StandingOrders.state"], || vec!["none", "waiting", "carried_out", "void"]),
    (
        &["StandingOrders.reason"],
        words_of!(VoidReason: RoundOver MatchOver Out TurnTaken HandChanged Called Asked NothingFits Refused),
    ),
    (&["StandingOrders.slam_down"], || vec!["if_fits", "if_fits_first"]),
    (&["Channel.format"], || {
        let webhooks = [Format::Standard, Format::Discord, Format::Slack, Format::Ntfy].map(Format::name);
        ["web_push", "email"].into_iter().chain(webhooks).collect()
    }),
    (&["Channel.status"], || vec!["active", "failing", "gone", "unverified"]),
    (&["Channel.kinds[]"], || Kind::ALL.map(Kind::name).to_vec()),
    (&["Delivery.kind"], || Kind::ALL.into_iter().chain(Kind::FIXED).map(Kind::name).collect()),
    (&["Delivery.status"], words_of!(DeliveryStatus: Waiting Delivered Failed Dropped)),
    (&["Delivery.reason"], || {
        let failed = ["refused", "timeout", "unreachable", "gone", "bad_keys", "too_long"];
        failed.into_iter().chain(["seen", "outdated", "channel_closed"]).collect()
    }),
    (
        &["Decision.kind"],
        words_of!(DecisionKind: Dismissal Warning Mute Suspension DedicationRemoval NameRemoval),
    ),
    (&["Sanction.kind"], words_of!(DecisionKind: Warning Mute Suspension DedicationRemoval NameRemoval)),
    (
        &["Report.reason", "QueuedReport.reason"],
        words_of!(Reason: Cheating Collusion UndeclaredBot Harassment OffensiveName OffensiveText Other),
    ),
    (&["Report.about", "QueuedReport.about"], || vec!["player", "name", "dedication", "match"]),
    (&["Report.state"], words_of!(ReportState: Open Dismissed ActedOn)),
    (&["RuleOption.kind"], || vec!["integer", "boolean", "choice", "texts", "object", "objects"]),
    (
        &[
            "Challenge.preset",
            "ChallengeSummary.preset",
            "HistoryMatch.preset",
            "HomeMatch.preset",
            "Leaderboard.preset",
            "MatchSettings.preset",
            "MatchSummary.preset",
            "OpenMatch.preset",
            "Pairing.preset",
            "PairingSummary.preset",
            "Preset.name",
            "Rating.preset",
            "RuleOptionList.presets[]",
            "Turn.preset",
        ],
        words_of!(Preset),
    ),
    (&["PlayedPreset.preset", "PresetFigures.preset"], || {
        Preset::ALL.iter().map(|preset| preset.as_str()).chain([CUSTOM]).collect()
    }),
];

/// Adds them to the schemas; also those of rules.
pub(crate) fn add_open_lists(document: &mut Value) {
    for (fields, values) in LISTS {
        for field in *fields {
            add(document, field, &values());
        }
    }
    let rules = document.pointer_mut("/components/schemas/RuleSet/properties").and_then(Value::as_object_mut);
    for (name, field) in rules.into_iter().flatten() {
        let choices = RuleOptions::choices(name);
        if !choices.is_empty()
            && let Some(field) = field.as_object_mut()
        {
            field.insert("x-extensible-enum".to_owned(), json!(choices));
        }
    }
}

fn add(document: &mut Value, field: &str, values: &[&str]) {
    let Some((schema, name)) = field.trim_end_matches("[]").split_once('.') else { return };
    let items = if field.ends_with("[]") { "/items" } else { "" };
    let place = format!("/components/schemas/{schema}/properties/{name}{items}");
    if let Some(Value::Object(field)) = document.pointer_mut(&place) {
        field.insert("x-extensible-enum".to_owned(), json!(values));
    }
}

/// Types of log entries.
fn log_types() -> Vec<&'static str> {
    let before = ["joined", "left", "removed", "code_renewed", "code_revoked", "started"];
    let actions = ["play", "call", "slam", "ask", "give", "keep", "challenge", "expose", "swap", "stay"];
    let others =
        ["pass", "resign", "calendar_changed", "seat_held", "seat_taken_back", "nudged", "clock_moved"];
    before.into_iter().chain(actions).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A renamed field would otherwise lose its list. What the description lists in words, the list has.
    #[test]
    fn every_list_is_that_of_a_field() {
        let document = crate::openapi::declared();
        for field in LISTS.iter().flat_map(|(fields, _)| *fields) {
            let (schema, name) = field.trim_end_matches("[]").split_once('.').unwrap();
            let place = format!("/components/schemas/{schema}/properties/{name}");
            let found = document.pointer(&place).unwrap_or_else(|| panic!("{field}"));
            let listed = found.get("x-extensible-enum").or_else(|| found["items"].get("x-extensible-enum"));
            assert!(listed.is_some_and(|list| !list[0].is_null()), "{field}");
        }
    }
}
