//! Playing, calling, resigning: one operation for each.

use actix_web::post;
use actix_web::web::Data;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::matches::repeated_write::Written;
use yaniv_app::turns::play::Act;
use yaniv_engine::{Action, Draw};
use yaniv_http_macros::operation;
use yaniv_model::idempotency::IdempotencyKey;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Actions, Auth, Play, RequiredKeyHeader};
use crate::kernel::json::JsonBody;
use crate::kernel::links::Links;
use crate::kernel::params::MatchPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Reply};
use crate::match_view::match_body::MatchBody;
use crate::match_view::table_body::DrawFrom;
use crate::matches::written::written;
use crate::values::card_code::CardCode;

/// Slam the drawn card down with the play if it fits.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SlamDownWish {
    /// If it fits; at the high end of a run if it fits at both ends.
    IfFits,
    /// If it fits; at the low end of a run if it fits at both ends.
    IfFitsFirst,
}

/// A play: a discard, then a draw.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayCardsRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// The cards to throw, in order: one of `legal.discards`.
    #[schema(min_items = 1, max_items = 20)]
    cards: Vec<CardCode>,
    /// Source of the draw.
    draw_from: DrawFrom,
    /// The card to draw. Required with `pile`; otherwise left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    draw_card: Option<CardCode>,
    /// Slam the drawn card down if the rules have slam-downs and it fits: one request with two log entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    slam_down: Option<SlamDownWish>,
}

/// A call.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MakeCallRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// The word of the call, one of `rules.call_words`; default: the right one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        min_length = 1,
        max_length = 16,
        pattern = "^[a-z]{1,16}$",
        examples("yaniv")
    )]
    word: Option<String>,
}

/// A resignation.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResignMatchRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
}

/// Play cards.
///
/// Discards cards, then draws one. The response is the match after it, with the card that you drew in `recent`.
#[operation(
    post "/v1/matches/{match_id}/plays",
    tag = "actions",
    example = json!({"expected_version": 5, "cards": ["9C", "9D"], "draw_from": "pile", "draw_card": "7S"}),
    answer = "The match after your play.",
    problems(CardNotInHand, NotAMeld, RunOutOfOrder, DrawNotAvailable),
)]
pub(crate) async fn play_cards(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<PlayCardsRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("playCards", &path.match_id.to_string(), &body.0)?;
    let PlayCardsRequest { expected_version, slam_down, .. } = body.0;
    let (action, slam_down) = (body.0.action()?, slam_down.map(SlamDownWish::is_first));
    let account = caller.account;
    let act = Act { account, match_id: path.match_id, expected_version, action, slam_down, key };
    answer(&services, &caller, act).await
}

/// Call.
///
/// Claims that no other player has fewer points, which ends the round. If the call is right you score 0.
#[operation(
    post "/v1/matches/{match_id}/calls",
    tag = "actions",
    example = json!({"expected_version": 5}),
    answer = "The match after your call: the next round is dealt, unless the match is over.",
    problems(CallTooEarly, AlreadyCalled, CallOverLimit, UnknownWord),
)]
pub(crate) async fn make_call(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<MakeCallRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("makeCall", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.action()?);
    act(&services, &caller, path, expected_version, action, key).await
}

/// Resign.
///
/// Gives up the match; possible at any time, also when it is not your turn. The other players continue.
#[operation(
    post "/v1/matches/{match_id}/resignations",
    tag = "actions",
    example = json!({"expected_version": 5}),
    answer = "The match without you.",
)]
pub(crate) async fn resign_match(
    services: Data<Services>,
    caller: Auth<Play, Actions>,
    path: MatchPath,
    key: RequiredKeyHeader,
    body: JsonBody<ResignMatchRequest>,
) -> ApiResult<Reply<MatchBody>> {
    let key = key.of("resignMatch", &path.match_id.to_string(), &body.0)?;
    let expected_version = body.0.expected_version;
    let action = Action::Resign;
    act(&services, &caller, path, expected_version, action, key).await
}

/// Carries out an action without a slam-down, and returns the match after it.
///
/// # Errors
/// Those of `Services::act`.
pub(crate) async fn act(
    services: &Services,
    caller: &Auth<Play, Actions>,
    path: MatchPath,
    expected_version: i32,
    action: Action,
    key: IdempotencyKey,
) -> ApiResult<Reply<MatchBody>> {
    let account = caller.account;
    let act = Act { account, match_id: path.match_id, expected_version, action, slam_down: None, key };
    answer(services, caller, act).await
}

async fn answer(services: &Services, caller: &Auth<Play, Actions>, act: Act) -> ApiResult<Reply<MatchBody>> {
    let links = Links::default();
    match services.act(act).await {
        Ok(Written::New(answer)) => Ok(written(&answer, &links)),
        Ok(Written::Repeated(repeat)) => {
            caller.repeats()?;
            Ok(written(&services.answer_again(repeat).await?, &links))
        }
        Err(error) => caller.refused(error.into()),
    }
}

impl SlamDownWish {
    pub(crate) fn is_first(self) -> bool {
        matches!(self, Self::IfFitsFirst)
    }
}

impl PlayCardsRequest {
    fn action(&self) -> Result<Action, ApiError> {
        let field = |detail: &str| ApiError::field(ProblemCode::InvalidBody, "draw_card", detail);
        let draw = match (self.draw_from, self.draw_card) {
            (DrawFrom::Pile, Some(card)) => Draw::Pile(card.0),
            (DrawFrom::Pile, None) => return Err(field("must be given with draw_from pile")),
            (_, Some(_)) => return Err(field("must be left out unless draw_from is pile")),
            (DrawFrom::Stock, None) => Draw::Stock,
            (DrawFrom::Nothing, None) => Draw::Nothing,
        };
        if self.cards.is_empty() || self.cards.len() > 20 {
            return Err(ApiError::field(ProblemCode::InvalidBody, "cards", "must have 1 to 20 cards"));
        }
        Ok(Action::Play { cards: self.cards.iter().map(|card| card.0).collect(), draw })
    }
}

impl MakeCallRequest {
    fn action(&self) -> Result<Action, ApiError> {
        let word =
            self.word.as_deref().map(str::parse).transpose().map_err(|_| {
                ApiError::field(ProblemCode::InvalidBody, "word", "must be 1 to 16 letters a-z")
            })?;
        Ok(Action::Call { word })
    }
}
