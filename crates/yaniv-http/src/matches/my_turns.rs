//! The matches that wait for somebody.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;

use crate::kernel::error::ApiError;
use crate::kernel::extract::Caller;
use crate::kernel::json::Queried;
use crate::kernel::params::check_range;
use crate::kernel::responses::tagged;
use crate::matches::turn_body::TurnListBody;

/// How much to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TurnsQuery {
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// List what waits for you.
///
/// The matches in which it is your turn, or in which you have a question to answer, the most urgent first, and how many there are.
/// Cheap to ask again with If-None-Match.
#[utoipa::path(
    operation_id = "listMyTurns",
    tag = "events",
    security(("access_token" = [])),
    params(TurnsQuery),
    responses(
        (status = 200, description = "The matches that wait for you.", body = TurnListBody,
            headers(("ETag" = String, description = "Tag of the list, for If-None-Match."))),
        (status = 304, description = "The list is as your tag says."),
    )
)]
#[get("/v1/turns")]
pub(crate) async fn list_my_turns(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    query: Queried<TurnsQuery>,
) -> Result<HttpResponse, ApiError> {
    let limit = check_range("limit", query.0.limit.unwrap_or(50), 1..=100)?;
    let turns = services.my_turns(caller.0, i64::from(limit)).await?;
    tagged(&request, &TurnListBody::from(turns), services.now())
}
