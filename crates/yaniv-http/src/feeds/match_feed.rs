//! Events of a match, by long poll or event stream.

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

/// Header with which a client resumes a stream.
const LAST_EVENT_ID: &str = "last-event-id";
/// Largest page that a stream reads.
const PAGE: i64 = 100;

/// Parameters of a long poll of a match.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// A version that you have seen: only later entries; 0 if left out.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
    /// Seconds to wait for the next entry if there is none yet, 0 to 50. If left out, 0: the answer comes at once.
    #[param(required = false, nullable = false, minimum = 0, maximum = 50)]
    wait: Option<i32>,
    /// Page size, 1 to 100; 100 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// Where the stream begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FollowQuery {
    /// A version that you have seen: later entries are sent; 0 if left out. `Last-Event-ID` takes precedence.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// The header that browsers send when they reconnect.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub(crate) struct LastEventIdHeader {
    /// `id` of the last event that you received: later events are sent.
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

/// Read the events of a match.
///
/// Log entries after a version, as far as you may know them. With `wait` it is a long poll: if there are none, the answer
/// comes with the next entry, or after `wait` seconds with an empty list. Then ask again after the last entry. A
/// `version` below your `after`, which is answered at once, means that the service was restored from a backup: fetch the
/// match. A dedication creates no entry.
#[operation(
    get "/v1/matches/{match_id}/events",
    tag = "events",
    answer = "The entries; the list may be empty.",
)]
pub(crate) async fn list_match_events(
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
/// The log as a stream of server-sent events. Each entry is an event named `entry`; its data is a `LogEntry` as JSON,
/// its `id` the version. After a disconnect, reconnect with `Last-Event-ID`: no entry is lost or repeated. Comments are
/// sent as keep-alive. The last event is `end`, with a `reason` in its data: `match_over`; `seat_gone`: you have no
/// seat any more; `restored`, from a backup that lacks entries that you have seen: fetch the match and continue from
/// its version; `token_ended`: refresh the token and reconnect; `shutting_down` or `unavailable`: reconnect. New
/// reasons may be added.
#[operation(
    get "/v1/matches/{match_id}/events/stream",
    tag = "events",
    answer = "The event stream.",
    problems(TooManyStreams, StreamsFull),
)]
pub(crate) async fn stream_match_events(
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
    ApiError::field(ProblemCode::InvalidParameter, "Last-Event-ID", "must be the id of an event")
}
