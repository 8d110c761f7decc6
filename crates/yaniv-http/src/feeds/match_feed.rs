//! What happens in a match, as soon as it happens: once (a long poll), or on and on (a stream).

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::web::Data;
use actix_web::{FromRequest, HttpRequest, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::feeds::match_feed::EventPage;
use yaniv_http_macros::operation;

use crate::feeds::sse::{Event, EventStream, event_stream};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{MatchPath, check_range, wait_time};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Download, Reply, print};
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

/// The header that browsers send when they reconnect.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct LastEventIdHeader {
    /// `id` of the last event that you have received: what came after it is sent.
    #[param(rename = "Last-Event-ID", required = false, nullable = false, max_length = 32768, example = "5")]
    pub(crate) id: Option<String>,
}

impl FromRequest for LastEventIdHeader {
    type Error = ApiError;
    type Future = Ready<ApiResult<Self>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        let given = request.headers().get(LAST_EVENT_ID).filter(|value| !value.is_empty());
        let id = given.map(|value| value.to_str().map(str::to_owned).map_err(|_| wrong_id())).transpose();
        ready(id.map(|id| Self { id }))
    }
}

/// Wait for what happens in a match.
///
/// Entries of the log after a version, as you may know them: at once if there are any, otherwise as soon as there is
/// one; after `wait` seconds an empty list. Ask again after the last entry. `version` below your `after`, which is answered
/// at once, says that the service was restored from a backup: fetch the match. (A card dedicated is no entry.)
#[operation(
    get "/v1/matches/{match_id}/events",
    tag = "events",
    answer = "What has happened, perhaps nothing.",
)]
pub(crate) async fn wait_for_events(
    services: Data<Services>,
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<WaitQuery>,
) -> ApiResult<Reply<LogPageBody>> {
    let after = check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?;
    let limit = check_range("limit", query.0.limit.unwrap_or(100), 1..=100)?;
    let wait = wait_time(&request, query.0.wait)?;
    let account = caller.account;
    let events = services.match_events(account, path.match_id, after, i64::from(limit));
    let page = services.wait(caller.listener(&request), events, wait).await?;
    let now = page.clocks.time(services.now());
    Ok(Reply::new(LogPageBody::of_events(page, now)))
}

/// Follow a match.
///
/// The same as a stream of server-sent events, which stays open: each entry of the log is an event `entry`, its `id` the
/// version, its data the entry as JSON (`LogEntry`). After a cut connection go on with `Last-Event-ID`: nothing is left
/// out, nothing sent twice. Comments come when nothing else does. The last event is `end`, its data a `reason`:
/// `match_over`; `seat_gone`; `restored`, from a backup that lacks what you have seen, fetch the match and go on from its
/// version; `token_ended`, refresh it and come back; `shutting_down` or `unavailable`, come back. New reasons may come.
#[operation(
    get "/v1/matches/{match_id}/stream",
    tag = "events",
    answer = "Events, for as long as you listen.",
    problems(TooManyStreams, StreamsFull),
)]
pub(crate) async fn follow_match(
    services: Data<Services>,
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<FollowQuery>,
    last_event: LastEventIdHeader,
) -> ApiResult<Download<EventStream, String>> {
    let after = match last_event.id {
        Some(id) => id.parse().ok().filter(|version| *version >= 0).ok_or_else(wrong_id)?,
        None => check_range("after", query.0.after.unwrap_or(0), 0..=i32::MAX)?,
    };
    let account = caller.account;
    let events = services.match_events(account, path.match_id, after, PAGE);
    Ok(event_stream(services.stream(caller.listener(&request), events).await?, |page: &EventPage| {
        page.entries
            .iter()
            .map(|entry| {
                let json = print(&LogEntryBody::from(entry))?;
                Ok(Event { id: entry.version.to_string(), name: "entry", json })
            })
            .collect()
    }))
}

fn wrong_id() -> ApiError {
    ApiError::field(ProblemCode::InvalidParameter, "Last-Event-ID", "has to be the id of an event")
}
