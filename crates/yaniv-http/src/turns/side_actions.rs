//! Actions besides plays and calls: slamming down, asking for a card, passing, dedicating a card.

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
    /// Put a joker that fits at both ends of the run at the low end; default: the high end.
    #[serde(default)]
    #[schema(required = false)]
    first: bool,
}

/// A request for a card.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestCardRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// A card of the pile, one of `legal.ask`.
    card: CardCode,
}

/// A pass.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PassTurnRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(6))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
}

/// A dedication.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DedicateCardRequest {
    /// 1 to 140 printable characters, normalized (NFC), with single spaces between words.
    #[schema(min_length = 1, max_length = 140, examples("for your patience"))]
    text: String,
}

/// Dedicate the turned-up card.
///
/// As the dealer, once a round, until its first action. It has no effect on play and creates no version. Repeating it
/// with the same text changes nothing. Accounts that have blocked you do not see it, and you are not informed of that.
#[operation(
    post "/v1/matches/{match_id}/dedications",
    tag = "actions",
    example = json!({"text": "for your patience"}),
    answer = "The view has it as `table.dedication`.",
    problems(NotYourTurn, WrongPhase, MatchOver, MatchNotStarted, Muted),
)]
pub(crate) async fn dedicate_card(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    body: JsonBody<DedicateCardRequest>,
) -> ApiResult<NoContent> {
    services.dedicate(caller.account, path.match_id, body.0.text).await?;
    Ok(NoContent::default())
}

/// Slam down.
///
/// Puts the card that you just drew on your discard if it fits (`legal.slam_card`), until any player's next action. To
/// be sure to be first, send it with the play (`slam_down` of `playCards`).
#[operation(
    post "/v1/matches/{match_id}/slam-downs",
    tag = "actions",
    example = json!({"expected_version": 6}),
    answer = "The match after your action.",
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
/// Asks for a card that another player could pick up, at the start of their turn, before they act. They give or keep
/// it.
#[operation(
    post "/v1/matches/{match_id}/card-requests",
    tag = "actions",
    example = json!({"expected_version": 6, "card": "7S"}),
    answer = "The match after your action.",
    problems(NotAllowedByRules, DrawNotAvailable),
)]
pub(crate) async fn request_card(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<RequestCardRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("requestCard", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Ask(body.0.card.0));
    act(&services, &caller, path, expected_version, action, key).await
}

/// Pass.
///
/// Allowed only with an empty hand when you may not call.
#[operation(
    post "/v1/matches/{match_id}/passes",
    tag = "actions",
    example = json!({"expected_version": 6}),
    answer = "The match after your action.",
    problems(NotAllowedByRules),
)]
pub(crate) async fn pass_turn(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<PassTurnRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("passTurn", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, Action::Pass);
    act(&services, &caller, path, expected_version, action, key).await
}
