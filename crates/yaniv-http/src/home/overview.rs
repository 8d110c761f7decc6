//! The home screen.

use actix_web::get;
use actix_web::web::Data;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::home::overview_body::HomeBody;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::NoQuery;
use crate::kernel::responses::{ApiResult, Tagged};

/// Show what waits for you.
///
/// All that a client shows first, in one request: matches that wait for you and for others, matches that have not
/// started or have just ended, challenges, requests to be paired, and what is unread. Each list has at most 20 items;
/// the counts and the list operations have the rest. Cheap to poll with If-None-Match.
#[operation(
    get "/v1/home",
    tag = "events",
    answer = "What waits for you.",
)]
pub(crate) async fn get_home(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    _: NoQuery,
) -> ApiResult<Tagged<HomeBody>> {
    let home = services.home(caller.account).await?;
    Ok(Tagged::new(HomeBody::from(home), services.now()))
}
