//! Creating matches.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, post};
use yaniv_app::Services;
use yaniv_bot::Level;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, KeyHeader};
use crate::kernel::json::JsonBody;
use crate::kernel::links::Links;
use crate::kernel::params::IdempotencyHeader;
use crate::kernel::problem::Problem;
use crate::lobby::create_request::CreateMatchRequest;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::written_with_link;

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
pub(crate) async fn create_match(
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
