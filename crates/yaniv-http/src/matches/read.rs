//! Reading matches: the list, and the view of one.

use actix_web::web::Data;
use actix_web::{HttpRequest, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;
use yaniv_match::status::Status;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::links::Links;
use crate::kernel::params::{MatchPath, check_range, checked_page};
use crate::kernel::responses::{ApiResult, Tagged, has_tag};
use crate::match_view::match_body::MatchBody;
use crate::matches::match_list_body::MatchListBody;
use crate::matches::view_tag::view_tag;
use crate::matches::written::with_link;
use crate::values::words::MatchStatus;

/// Which matches to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListMatchesQuery {
    /// Only matches with this status: `waiting`, `running` or `finished`.
    #[param(required = false, nullable = false, inline)]
    status: Option<MatchStatus>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Which log entries to include.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct GetMatchQuery {
    /// A version that you have seen: `recent` lists the log entries after it.
    #[param(required = false, nullable = false, minimum = 0)]
    since: Option<i32>,
}

/// List your matches.
///
/// Matches that wait for you come first, the longest waiting at the top; then running ones, those that wait for
/// players, and finished ones.
#[operation(
    get "/v1/matches",
    tag = "matches",
    answer = "A page of your matches.",
)]
pub(crate) async fn list_matches(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<ListMatchesQuery>,
) -> ApiResult<Tagged<MatchListBody>> {
    let ListMatchesQuery { status, limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let status = status.map(Status::from);
    let page = services.list_matches(caller.account, status, cursor.as_deref(), limit).await?;
    Ok(Tagged::new(MatchListBody::from(page), services.now()))
}

/// Show a match.
///
/// All that you may know of it, except the settings: table, hand, legal actions, score sheet. With `since`, also the log
/// entries after that version. Poll it with If-None-Match.
#[operation(
    get "/v1/matches/{match_id}",
    tag = "matches",
    answer = "The match, as you may see it.",
)]
pub(crate) async fn get_match(
    (services, links): (Data<Services>, Data<Links>),
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<GetMatchQuery>,
) -> ApiResult<Tagged<MatchBody>> {
    let since = query.0.since.map(|since| check_range("since", since, 0..=i32::MAX)).transpose()?;
    let look = services.look(caller.account, path.match_id).await?;
    let tag = view_tag(look.mark(), &links);
    if has_tag(&request, &tag) {
        return Ok(Tagged::not_modified(tag, services.now()));
    }
    let view = services.view(&look, since).await?;
    let now = view.clocks.time(services.now());
    Ok(Tagged::with_tag(tag, with_link(MatchBody::from(&view), &view, &links), now))
}
