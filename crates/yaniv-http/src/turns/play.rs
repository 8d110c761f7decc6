//! Actions in play, one operation for each kind, and the log of what was done.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, post};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use yaniv_app::Services;
use yaniv_app::matches::repeated_write::Written;
use yaniv_app::turns::play::Act;
use yaniv_engine::{Action, Draw};
use yaniv_model::idempotency::IdempotencyKey;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Actor, Caller, KeyHeader};
use crate::kernel::json::{JsonBody, Queried};
use crate::kernel::params::{MatchPath, RequiredIdempotencyHeader, check_range};
use crate::kernel::problem::{Problem, ProblemCode};
use crate::kernel::responses::tagged;
use crate::match_view::log_body::LogPageBody;
use crate::match_view::match_body::MatchBody;
use crate::match_view::table_body::DrawFrom;
use crate::matches::written::written;
use crate::values::card_code::CardCode;

/// The wish to slam the drawn card down at once if it fits.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SlamDownWish {
    /// If it fits; at the last end, where it would do at both.
    IfFits,
    /// If it fits; at the first end, where it would do at both.
    IfFitsFirst,
}

/// A play: a discard, then a draw.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlayRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// The cards to throw, in order: one of `legal.discards`.
    #[schema(min_items = 1, max_items = 20)]
    cards: Vec<CardCode>,
    /// Where to draw from.
    draw_from: DrawFrom,
    /// Which card to draw; with `pile` only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    draw_card: Option<CardCode>,
    /// Slam the drawn card down if the rules have it and it fits: one request with two entries in the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    slam_down: Option<SlamDownWish>,
}

/// A call.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CallRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// The word to say, one of `rules.call_words`; left out, the right one.
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
pub(crate) struct ResignRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
}

/// Which part of the log to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListActionsQuery {
    /// Entries after this version; 0, the beginning, if left out.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
    /// How many, 1 to 100; 100 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// Play cards.
///
/// Throws cards and draws one. The answer is the match after it, with the card that you drew in `recent`.
#[utoipa::path(
    operation_id = "playCards",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = PlayRequest,
        example = json!({"expected_version": 5, "cards": ["9C", "9D"], "draw_from": "pile", "draw_card": "7S"})),
    responses(
        (status = 200, description = "The match after your play.", body = MatchBody),
        (status = 422, description = "`card_not_in_hand`, `not_a_meld`, `run_out_of_order`, `draw_not_available`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/plays")]
pub(crate) async fn play_cards(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<PlayRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("playCards", &path.match_id.to_string(), &body.0)?;
    let PlayRequest { expected_version, slam_down, .. } = body.0;
    let (action, slam_down) = (body.0.action()?, slam_down.map(SlamDownWish::is_first));
    let account = actor.account;
    let act = Act { account, match_id: path.match_id, expected_version, action, slam_down, key };
    answer(&services, &actor, act).await
}

/// Call.
///
/// Says that nobody has fewer points, which ends the round. If it is right you score 0.
#[utoipa::path(
    operation_id = "makeCall",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = CallRequest, example = json!({"expected_version": 5})),
    responses(
        (status = 200, description = "The match after your call: the next round is dealt, unless the match is over.", body = MatchBody),
        (status = 409, description = "`call_too_early`, `already_called`.",
            body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`call_over_limit`, `unknown_word`.",
            body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/calls")]
pub(crate) async fn make_call(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<CallRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("makeCall", &path.match_id.to_string(), &body.0)?;
    let (expected_version, action) = (body.0.expected_version, body.0.action()?);
    act(&services, &actor, path, expected_version, action, key).await
}

/// Resign.
///
/// Gives the match up, at any time, whoever's turn it is. The others play on.
#[utoipa::path(
    operation_id = "resignMatch",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, RequiredIdempotencyHeader),
    request_body(content = ResignRequest, example = json!({"expected_version": 5})),
    responses(
        (status = 200, description = "The match without you.", body = MatchBody),
    )
)]
#[post("/v1/matches/{match_id}/resignations")]
pub(crate) async fn resign_match(
    services: Data<Services>,
    actor: Actor,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<ResignRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.required("resignMatch", &path.match_id.to_string(), &body.0)?;
    let expected_version = body.0.expected_version;
    let action = Action::Resign;
    act(&services, &actor, path, expected_version, action, key).await
}

/// List the log.
///
/// What has happened, from a version on, as you may know it: cards that others drew are shown once the round is over.
#[utoipa::path(
    operation_id = "listActions",
    tag = "actions",
    security(("access_token" = [])),
    params(MatchPath, ListActionsQuery),
    responses(
        (status = 200, description = "A part of the log.", body = LogPageBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}/actions")]
pub(crate) async fn list_actions(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    query: Queried<ListActionsQuery>,
) -> Result<HttpResponse, ApiError> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let limit = check_range("limit", query.0.limit.unwrap_or(100), 1..=100)?;
    let page = services.log(caller.0, path.match_id, after, i64::from(limit)).await?;
    let now = page.clocks.time(services.now());
    tagged(&request, &LogPageBody::from(page), now)
}

/// Does an action that carries no wish, and answers the match after it.
///
/// # Errors
/// Those of `Services::act`.
pub(crate) async fn act(
    services: &Services,
    actor: &Actor,
    path: MatchPath,
    expected_version: i32,
    action: Action,
    key: IdempotencyKey,
) -> Result<HttpResponse, ApiError> {
    let account = actor.account;
    let act = Act { account, match_id: path.match_id, expected_version, action, slam_down: None, key };
    answer(services, actor, act).await
}

async fn answer(services: &Services, actor: &Actor, act: Act) -> Result<HttpResponse, ApiError> {
    match services.act(act).await {
        Ok(Written::New(answer)) => written(StatusCode::OK, *answer),
        Ok(Written::Repeated(repeat)) => {
            actor.repeats()?;
            written(StatusCode::OK, services.answer_again(repeat).await?)
        }
        Err(error) => actor.refused(error.into()),
    }
}

impl SlamDownWish {
    pub(crate) fn is_first(self) -> bool {
        matches!(self, Self::IfFitsFirst)
    }
}

impl PlayRequest {
    fn action(&self) -> Result<Action, ApiError> {
        let field = |detail: &str| ApiError::field(ProblemCode::InvalidBody, "draw_card", detail);
        let draw = match (self.draw_from, self.draw_card) {
            (DrawFrom::Pile, Some(card)) => Draw::Pile(card.0),
            (DrawFrom::Pile, None) => return Err(field("has to be given with draw_from pile")),
            (_, Some(_)) => return Err(field("goes with draw_from pile only")),
            (DrawFrom::Stock, None) => Draw::Stock,
            (DrawFrom::Nothing, None) => Draw::Nothing,
        };
        if self.cards.is_empty() || self.cards.len() > 20 {
            return Err(ApiError::field(ProblemCode::InvalidBody, "cards", "has to be 1 to 20 cards"));
        }
        Ok(Action::Play { cards: self.cards.iter().map(|card| card.0).collect(), draw })
    }
}

impl CallRequest {
    fn action(&self) -> Result<Action, ApiError> {
        let word = self.word.as_deref().map(str::parse).transpose().map_err(|_| {
            ApiError::field(ProblemCode::InvalidBody, "word", "has to be 1 to 16 letters a-z")
        })?;
        Ok(Action::Call { word })
    }
}
