//! Seeing again what was played: a round step by step, what was thought of it, and what happened since one last looked.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;

use crate::history::analysis_body::RoundAnalysisBody;
use crate::history::recap_body::RecapBody;
use crate::history::replay_body::RoundReplayBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::Caller;
use crate::kernel::json::{NoQuery, Queried};
use crate::kernel::params::{MatchPath, PageQuery, RoundPath, check_range, checked_page};
use crate::kernel::problem::Problem;
use crate::kernel::responses::tagged;

/// Since when to tell.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct GetRecapQuery {
    /// A version that you have seen: what happened after it. Left out, after what you did last by yourself.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// Show what happened since you were here.
///
/// In short: rounds that ended, calls, who did how much and who was absent, and what the match waits for now. Cheap; `listActions` has
/// the whole log.
#[utoipa::path(
    operation_id = "getRecap",
    tag = "records",
    security(("access_token" = [])),
    params(MatchPath, GetRecapQuery),
    responses(
        (status = 200, description = "What happened since.", body = RecapBody,
            headers(("ETag" = String, description = "Tag of the answer, for If-None-Match."))),
        (status = 304, description = "It is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}/recap")]
pub(crate) async fn get_recap(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    query: Queried<GetRecapQuery>,
) -> Result<HttpResponse, ApiError> {
    let after = query.0.after.map(|after| check_range("after", after, 0..=i32::MAX)).transpose()?;
    let recap = services.recap(caller.0, path.match_id, after).await?;
    let now = recap.clocks.time(services.now());
    tagged(&request, &RecapBody::from(&recap), now)
}

/// Replay a round.
///
/// What was dealt, and the actions with the table after each, a page at a time, oldest first. Everything is open once the round is over; of the
/// round in play there is what you may know.
#[utoipa::path(
    operation_id = "getRound",
    tag = "records",
    security(("access_token" = [])),
    params(RoundPath, PageQuery),
    responses(
        (status = 200, description = "A page of the round.", body = RoundReplayBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
        (status = 409, description = "`match_not_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/matches/{match_id}/rounds/{round}")]
pub(crate) async fn get_round(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: RoundPath,
    query: Queried<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let page = checked_page(query.0.limit, query.0.cursor)?;
    let replay = services.round(caller.0, path.match_id, path.round, page).await?;
    tagged(&request, &RoundReplayBody::from(replay), services.now())
}

/// Analyse a round.
///
/// For each decision of a round that is over: what the look-ahead of the bots would have done, seeing what the player saw, and what the
/// decision cost by its estimate, in points. An extra to show beside a replay: it is one opinion, of a player who looks one turn
/// ahead (docs/history.md).
#[utoipa::path(
    operation_id = "getRoundAnalysis",
    tag = "records",
    security(("access_token" = [])),
    params(RoundPath),
    responses(
        (status = 200, description = "What is thought of it.", body = RoundAnalysisBody,
            headers(("ETag" = String, description = "Tag of the analysis, for If-None-Match."))),
        (status = 304, description = "The analysis is as your tag says."),
        (status = 409, description = "`round_not_over`, `match_not_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/matches/{match_id}/rounds/{round}/analysis")]
pub(crate) async fn get_round_analysis(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: RoundPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let analysis = services.round_analysis(caller.0, path.match_id, path.round).await?;
    tagged(&request, &RoundAnalysisBody::from(&*analysis), services.now())
}
