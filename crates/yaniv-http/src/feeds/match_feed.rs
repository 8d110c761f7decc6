//! What happens in a match, as soon as it happens: once (a long poll), or on and on (a stream).

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::feeds::match_feed::EventPage;

use crate::feeds::sse::{Event, event_stream};
use crate::kernel::error::ApiError;
use crate::kernel::extract::Listening;
use crate::kernel::json::Queried;
use crate::kernel::params::{MatchPath, check_range, wait_time};
use crate::kernel::problem::{Problem, ProblemCode};
use crate::kernel::responses::{plain, print};
use crate::match_view::log_body::{LogEntryBody, LogPageBody};

/// Header by which a stream that was cut is gone on with.
const LAST_EVENT_ID: &str = "last-event-id";
/// Entries that a stream looks for at a time.
const PAGE: i64 = 100;

/// What to wait for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// A version that you have seen: entries after it are wanted; 0 if left out.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
    /// How many seconds to wait for one, 0 to 50; 25 if left out.
    #[param(required = false, nullable = false, minimum = 0, maximum = 50)]
    wait: Option<i32>,
    /// How many, 1 to 100; 100 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// Where to begin.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FollowQuery {
    /// A version that you have seen: entries after it are sent; 0 if left out. `Last-Event-ID` goes before it.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// The header that browsers send when they come back.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "describes a header; last_event_id reads it")]
pub(crate) struct LastEventIdHeader {
    /// `id` of the last event that you have got: what came after it is sent.
    #[param(rename = "Last-Event-ID", required = false, nullable = false, max_length = 32768, example = "5")]
    last_event_id: String,
}

/// Wait for what happens in a match.
///
/// Entries of the log after a version, as you may know them: at once if there are any, otherwise as soon as there is
/// one; after `wait` seconds an empty list. Ask again after the last entry. `version` below your `after`, which is answered
/// at once, says that the service was restored from a backup: fetch the match. (A card dedicated is no entry.)
#[utoipa::path(
    operation_id = "waitForEvents",
    tag = "events",
    security(("access_token" = [])),
    params(MatchPath, WaitQuery),
    responses(
        (status = 200, description = "What has happened, perhaps nothing.", body = LogPageBody),
    )
)]
#[get("/v1/matches/{match_id}/events")]
pub(crate) async fn wait_for_events(
    services: Data<Services>,
    request: HttpRequest,
    listening: Listening,
    path: MatchPath,
    query: Queried<WaitQuery>,
) -> Result<HttpResponse, ApiError> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let limit = check_range("limit", query.0.limit.unwrap_or(100), 1..=100)?;
    let wait = wait_time(&request, query.0.wait)?;
    let account = listening.0.access.account;
    let events = services.match_events(account, path.match_id, after, i64::from(limit));
    let page = services.wait(listening.0, events, wait).await?;
    let now = page.clocks.time(services.now());
    plain(StatusCode::OK, &LogPageBody::of_events(page, now))
}

/// Follow a match.
///
/// The same as a stream of server-sent events, which stays open: each entry of the log is an event `entry`, its `id` the
/// version, its data the entry as JSON (`LogEntry`). After a cut connection go on with `Last-Event-ID`: nothing is left
/// out, nothing sent twice. Comments come when nothing else does. The last event is `end`, its data a `reason`:
/// `match_over`; `seat_gone`; `restored`, from a backup that lacks what you have seen, fetch the match and go on from its
/// version; `token_ended`, refresh it and come back; `shutting_down` or `unavailable`, come back. New reasons may come.
#[utoipa::path(
    operation_id = "followMatch",
    tag = "events",
    security(("access_token" = [])),
    params(MatchPath, FollowQuery, LastEventIdHeader),
    responses(
        (status = 200, description = "Events, for as long as you listen.", body = String, content_type = "text/event-stream"),
        (status = 429, description = "`too_many_streams`.", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`streams_full`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/matches/{match_id}/stream")]
pub(crate) async fn follow_match(
    services: Data<Services>,
    request: HttpRequest,
    listening: Listening,
    path: MatchPath,
    query: Queried<FollowQuery>,
) -> Result<HttpResponse, ApiError> {
    let after = match last_event_id(&request)? {
        Some(id) => id.parse().ok().filter(|version| *version >= 0).ok_or_else(wrong_id)?,
        None => check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?,
    };
    let account = listening.0.access.account;
    let events = services.match_events(account, path.match_id, after, PAGE);
    Ok(event_stream(services.stream(listening.0, events).await?, |page: &EventPage| {
        page.entries
            .iter()
            .map(|entry| {
                let json = print(&LogEntryBody::from(entry))?;
                Ok(Event { id: entry.version.to_string(), name: "entry", json })
            })
            .collect()
    }))
}

/// The header as it came, if it came.
///
/// # Errors
/// `invalid_parameter` if it is no text.
pub(crate) fn last_event_id(request: &HttpRequest) -> Result<Option<&str>, ApiError> {
    let given = request.headers().get(LAST_EVENT_ID).filter(|value| !value.is_empty());
    given.map(|value| value.to_str().map_err(|_| wrong_id())).transpose()
}

fn wrong_id() -> ApiError {
    ApiError::field(ProblemCode::InvalidParameter, "Last-Event-ID", "has to be the id of an event")
}
