//! Actions beside the usual turn: slamming down, asking for a card, passing.

use actix_web::post;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_engine::Action;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Actions, Auth, Play, RequiredKeyHeader, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::params::MatchPath;
use crate::kernel::responses::{ApiResult, NoContent, Reply};
use crate::match_view::match_body::MatchBody;
use crate::turns::play::act;
use crate::values::card_code::CardCode;

/// A slam-down.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlamDownRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// Put a joker at the low end of the run, where it would do at both.
    #[serde(default)]
    #[schema(required = false)]
    first: bool,
}

/// A request for a card.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AskRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// The card of the pile: one of `legal.ask`.
    card: CardCode,
}

/// A pass.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PassRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
}

/// A dedication.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GiftRequest {
    /// 1 to 140 characters that can be seen, in their usual form (NFC), with single spaces between words.
    #[schema(min_length = 1, max_length = 140, examples("for your patience"))]
    text: String,
}

/// Dedicate the turned-up card.
///
/// As the dealer, once a round, until its first action. It has no effect on play and makes no version; sending the same
/// again changes nothing. Who has blocked you does not see it; you are not told so.
#[operation(
    post "/v1/matches/{match_id}/gifts",
    tag = "actions",
    example = json!({"text": "for your patience"}),
    answer = "The dedication is in the table's `gift`.",
    problems(NotYourTurn, WrongPhase, MatchOver, MatchNotStarted),
)]
pub(crate) async fn dedicate_card(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    body: JsonBody<GiftRequest>,
) -> ApiResult<NoContent> {
    services.dedicate(caller.account, path.match_id, body.0.text).await?;
    Ok(NoContent::default())
}

/// Slam down.
///
/// Puts the card just drawn on your discard, where it fits (`legal.slam_card`), as long as nobody has done anything else.
/// To be first, wish for it with the play itself (`slam_down`).
#[operation(
    post "/v1/matches/{match_id}/slam-downs",
    tag = "actions",
    example = json!({"expected_version": 6}),
    answer = "The match after it.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn slam_down(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<SlamDownRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("slamDown", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Slam { first: body.0.first });
    act(&services, &caller, path, expected_version, action, key).await
}

/// Ask for a card.
///
/// At the start of another player's turn, before they act: asks for a card that they could pick up. They give or keep it.
#[operation(
    post "/v1/matches/{match_id}/asks",
    tag = "actions",
    example = json!({"expected_version": 6, "card": "7S"}),
    answer = "The match after it.",
    problems(NotAllowedByRules, DrawNotAvailable),
)]
pub(crate) async fn ask_for_card(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<AskRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("askForCard", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Ask(body.0.card.0));
    act(&services, &caller, path, expected_version, action, key).await
}

/// Pass.
///
/// With an empty hand, where a call is not allowed.
#[operation(
    post "/v1/matches/{match_id}/passes",
    tag = "actions",
    example = json!({"expected_version": 6}),
    answer = "The match after it.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn pass_turn(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<PassRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("passTurn", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Pass);
    act(&services, &caller, path, expected_version, action, key).await
}
