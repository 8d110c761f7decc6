//! The log of a match, and the ledger of its clocks.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{MatchPath, check_range};
use crate::kernel::responses::{ApiResult, Tagged};
use crate::match_view::clock_body::ClockChangePageBody;
use crate::match_view::log_body::LogPageBody;

/// Which page of the log to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListActionsQuery {
    /// Only entries after this version; default 0, the beginning.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
    /// Maximum number of items, 1 to 100; default 100.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// Which changes of clocks to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ClockChangesQuery {
    /// Only changes caused by log entries after this version; default 0.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// List the log.
///
/// The entries after a version, as you may see them: cards that others drew from the stock are shown once the round is
/// over.
#[operation(
    get "/v1/matches/{match_id}/log",
    tag = "actions",
    answer = "A page of the log.",
)]
pub(crate) async fn list_log(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<ListActionsQuery>,
) -> ApiResult<Tagged<LogPageBody>> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let limit = check_range("limit", query.0.limit.unwrap_or(100), 1..=100)?;
    let page = services.log(caller.account, path.match_id, after, i64::from(limit)).await?;
    let now = page.clocks.time(services.now());
    Ok(Tagged::new(LogPageBody::from(page), now))
}

/// List the changes of the clocks.
///
/// The ledger: each change of a deadline or a bank, with the values before and after and the reason. The values before
/// a change equal those after the seat's previous change. At most 200 changes per page, but those of one log entry are
/// never split.
#[operation(
    get "/v1/matches/{match_id}/clock-changes",
    tag = "matches",
    answer = "The changes, oldest first.",
)]
pub(crate) async fn list_clock_changes(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<ClockChangesQuery>,
) -> ApiResult<Tagged<ClockChangePageBody>> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let page = services.clock_changes(caller.account, path.match_id, after).await?;
    let now = page.clocks.time(services.now());
    Ok(Tagged::new(ClockChangePageBody::from(page), now))
}
