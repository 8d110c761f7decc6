//! The matches that wait for the caller.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::check_range;
use crate::kernel::responses::{ApiResult, Tagged};
use crate::matches::turn_body::TurnListBody;

/// How many matches to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct TurnsQuery {
    /// Maximum number of items, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// List the matches that wait for you.
///
/// The matches in which it is your turn or you have to answer a question, the nearest deadline first, and their total
/// number. Cheap to poll with If-None-Match.
#[operation(
    get "/v1/turns",
    tag = "events",
    answer = "The matches that wait for you.",
)]
pub(crate) async fn list_turns(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<TurnsQuery>,
) -> ApiResult<Tagged<TurnListBody>> {
    let limit = check_range("limit", query.0.limit.unwrap_or(50), 1..=100)?;
    let limit = usize::try_from(limit).unwrap_or_default();
    let turns = services.my_turns(caller.account, limit).await?;
    Ok(Tagged::new(TurnListBody::from(turns), services.now()))
}
