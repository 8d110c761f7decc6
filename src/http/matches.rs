//! Creating matches, listing them, looking at them.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, post};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_bot::Level;

use super::answer::{holds, not_modified, print, tagged, view_tag, with_tag, written_with_link};
use super::body::match_body::MatchBody;
use super::body::match_list_body::MatchListBody;
use super::body_reader::{JsonBody, Queried};
use super::error::ApiError;
use super::extract::{Caller, KeyHeader};
use super::links::Links;
use super::match_request::CreateMatchRequest;
use super::parameters::{IdempotencyHeader, MatchPath, check_range, checked_page};
use super::problem::{Problem, ProblemCode};
use crate::service::Services;
use crate::service::status::Status;

/// Which matches to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct ListMatchesQuery {
    /// Only those that are `waiting`, `running` or `finished`.
    #[param(required = false, nullable = false, max_length = 16, pattern = "^(waiting|running|finished)$")]
    status: Option<String>,
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// What to show besides the match.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct GetMatchQuery {
    /// A version that you have seen: `recent` tells what happened after it.
    #[param(required = false, nullable = false, minimum = 0)]
    since: Option<i32>,
}

/// Create a match.
///
/// You get the first seat, and bots of the house those after it, if you name their levels in `bots`: with all seats taken you
/// can start at once. Share the code: who has it can look at the rules and the commitment, and join.
#[utoipa::path(
    operation_id = "createMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(IdempotencyHeader),
    request_body(content = CreateMatchRequest,
        example = json!({"size": 2, "rules": {"preset": "yaniv"}, "client_seed": "my lucky number is 7"})),
    responses(
        (status = 201, description = "The match, waiting for players.", body = MatchBody,
            headers(("Location" = String, description = "Path of the match."))),
        (status = 403, description = "`sandboxes_off`.", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`rated_not_allowed`.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`bad_rules`, `not_ratable`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches")]
pub(super) async fn create_match(
    services: Data<Services>,
    links: Data<Links>,
    caller: Caller,
    key: KeyHeader,
    body: JsonBody<CreateMatchRequest>,
) -> Result<HttpResponse, ApiError> {
    let request = body.0;
    let key = key.of("createMatch", "", &request)?;
    let new = (request.new_match()?, request.bots.iter().copied().map(Level::from).collect());
    let answer = services.create_match(caller.0, new, request.client_seed, key).await?;
    written_with_link(StatusCode::CREATED, answer, &links)
}

/// List your matches.
///
/// Those that wait for you come first, the longest waiting at the top; then running ones, those that wait for
/// players, and those that are over.
#[utoipa::path(
    operation_id = "listMatches",
    tag = "matches",
    security(("access_token" = [])),
    params(ListMatchesQuery),
    responses(
        (status = 200, description = "A page of your matches.", body = MatchListBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
    )
)]
#[get("/v1/matches")]
pub(super) async fn list_matches(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    query: Queried<ListMatchesQuery>,
) -> Result<HttpResponse, ApiError> {
    let ListMatchesQuery { status, limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let status = status
        .map(|status| Status::parse(&status))
        .transpose()
        .map_err(|_| ApiError::field(ProblemCode::InvalidParameter, "status", "there is no such status"))?;
    let page = services.list_matches(caller.0, status, cursor.as_deref(), limit).await?;
    tagged(&request, &MatchListBody::from(page), services.now())
}

/// Show a match.
///
/// Everything that you may know: table, hand, legal moves, score sheet. With `since`, also what happened after
/// that version. Poll it with If-None-Match.
#[utoipa::path(
    operation_id = "getMatch",
    tag = "matches",
    security(("access_token" = [])),
    params(MatchPath, GetMatchQuery),
    responses(
        (status = 200, description = "The match, as you may see it.", body = MatchBody,
            headers(("ETag" = String, description = "Tag of the view, for If-None-Match."))),
        (status = 304, description = "The match is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}")]
pub(super) async fn get_match(
    (services, links): (Data<Services>, Data<Links>),
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    query: Queried<GetMatchQuery>,
) -> Result<HttpResponse, ApiError> {
    let since = query.0.since.map(|since| check_range("since", since, 0..=i32::MAX)).transpose()?;
    let look = services.look(caller.0, path.match_id).await?;
    let tag = view_tag(look.mark(), &links);
    if holds(&request, &tag) {
        return Ok(not_modified(tag));
    }
    let view = services.view(&look, since).await?;
    let now = view.clocks.time(services.now());
    Ok(with_tag(tag, &print(&links.put(MatchBody::from(view)))?, now))
}
