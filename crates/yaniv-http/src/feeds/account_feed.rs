//! The account feed: events of all matches and challenges of an account, by long poll or event stream.

use actix_web::web::Data;
use actix_web::{HttpRequest, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::feeds::account_feed::{AccountEventPage, FeedStart};
use yaniv_http_macros::operation;

use crate::feeds::account_feed_body::{AccountEventBody, AccountEventPageBody};
use crate::feeds::match_feed::LastEventIdHeader;
use crate::feeds::sse::{Event, EventStream, event_stream};
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{check_range, wait_time};
use crate::kernel::responses::{ApiResult, Download, Reply, print};

/// Largest page that a stream reads.
const PAGE: i64 = 50;

/// Parameters of a long poll of the account feed.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListEventsQuery {
    /// `cursor` of the previous answer: only later events. `now`: only events from now on. If left out, events of the
    /// last day.
    #[param(
        required = false,
        nullable = false,
        max_length = 32768,
        pattern = "^[A-Za-z0-9_-]*$",
        example = "now"
    )]
    after: Option<String>,
    /// Seconds to wait for the next event if there is none yet, 0 to 50. If left out, 0: the answer comes at once.
    #[param(required = false, nullable = false, minimum = 0, maximum = 50)]
    wait: Option<i32>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// Where the stream begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct StreamEventsQuery {
    /// A `cursor`, or the `id` of an event: later events are sent. `now`, or left out: only events from now on.
    /// `Last-Event-ID` takes precedence.
    #[param(
        required = false,
        nullable = false,
        max_length = 32768,
        pattern = "^[A-Za-z0-9_-]*$",
        example = "now"
    )]
    after: Option<String>,
}

/// Read the events of all your matches.
///
/// Events after a cursor: those of all matches in which you have a seat, as far as you may know them, of challenges that
/// you see, and your removal from a match by its host. With `wait` it is a long poll: if there are none, the answer comes
/// with the next event, or after `wait` seconds with an empty list. Then ask again after `cursor`: no event is lost or
/// repeated, even with concurrent writes. A cursor is good for 30 days.
#[operation(
    get "/v1/events",
    tag = "events",
    answer = "The events; the list may be empty.",
    problems(CursorTooOld),
)]
pub(crate) async fn list_events(
    services: Data<Services>,
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    query: Queried<ListEventsQuery>,
) -> ApiResult<Reply<AccountEventPageBody>> {
    let limit = check_range("limit", query.0.limit.unwrap_or(50), 1..=100)?;
    let wait = wait_time(&request, query.0.wait)?;
    let start = start(query.0.after.as_deref(), FeedStart::Lately);
    let feed = services.account_feed(caller.account, start, i64::from(limit)).await?;
    let page = services.wait(caller.listener(&request), feed, wait).await?;
    Ok(Reply::new(AccountEventPageBody::new(&page, services.now())))
}

/// Follow all your matches.
///
/// The account feed as a stream of server-sent events. Each event is named `event`; its data is an `AccountEvent` as
/// JSON, its `id` a cursor. After a disconnect, reconnect with `Last-Event-ID`: no event is lost or repeated. Comments
/// are sent as keep-alive. The last event is `end`, with a `reason` in its data: `token_ended`: refresh the token and reconnect;
/// `shutting_down` or `unavailable`: reconnect. New reasons may be added.
#[operation(
    get "/v1/events/stream",
    tag = "events",
    answer = "The event stream.",
    problems(TooManyStreams, StreamsFull, CursorTooOld),
)]
pub(crate) async fn stream_events(
    services: Data<Services>,
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    query: Queried<StreamEventsQuery>,
    last_event: LastEventIdHeader,
) -> ApiResult<Download<EventStream, String>> {
    let after = last_event.id.as_deref().or(query.0.after.as_deref());
    let feed = services.account_feed(caller.account, start(after, FeedStart::Now), PAGE).await?;
    Ok(event_stream(services.stream(caller.listener(&request), feed).await?, |page: &AccountEventPage| {
        page.events
            .iter()
            .map(|event| {
                let json = print(&AccountEventBody::from(event))?;
                Ok(Event { id: event.cursor.clone(), name: "event", json })
            })
            .collect()
    }))
}

fn start(after: Option<&str>, without: FeedStart) -> FeedStart {
    match after {
        None => without,
        Some("now") => FeedStart::Now,
        Some(cursor) => FeedStart::After(cursor.to_owned()),
    }
}
