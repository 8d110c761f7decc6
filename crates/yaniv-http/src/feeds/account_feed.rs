//! The inbox: events of all matches and challenges of an account, by long poll or event stream.

use actix_web::web::Data;
use actix_web::{HttpRequest, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::feeds::account_feed::{InboxPage, InboxStart};
use yaniv_http_macros::operation;

use crate::feeds::account_feed_body::{InboxEventBody, InboxPageBody};
use crate::feeds::match_feed::LastEventIdHeader;
use crate::feeds::sse::{Event, EventStream, event_stream};
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{check_range, wait_time};
use crate::kernel::responses::{ApiResult, Download, Reply, print};

/// Largest page that a stream reads.
const PAGE: i64 = 50;

/// Parameters of a long poll of the inbox.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxQuery {
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
    /// Timeout in seconds, 0 to 50; 25 if left out.
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
pub(crate) struct FollowInboxQuery {
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

/// Wait for events of all your matches.
///
/// Long poll for events after a cursor: those of all matches in which you have a seat, as far as you may know them, and
/// of challenges that you see. Answers at once if there are any, otherwise with the next event, or after `wait` seconds
/// with an empty list. Then ask again after `cursor`: no event is lost or repeated, even with concurrent writes.
#[operation(
    get "/v1/inbox",
    tag = "events",
    answer = "The events; the list may be empty.",
)]
pub(crate) async fn read_inbox(
    services: Data<Services>,
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    query: Queried<InboxQuery>,
) -> ApiResult<Reply<InboxPageBody>> {
    let limit = check_range("limit", query.0.limit.unwrap_or(50), 1..=100)?;
    let wait = wait_time(&request, query.0.wait)?;
    let start = start(query.0.after.as_deref(), InboxStart::Lately);
    let inbox = services.inbox(caller.account, start, i64::from(limit)).await?;
    let page = services.wait(caller.listener(&request), inbox, wait).await?;
    Ok(Reply::new(InboxPageBody::new(&page, services.now())))
}

/// Follow all your matches.
///
/// The inbox as a stream of server-sent events. Each event is named `inbox`; its data is an `InboxEvent` as JSON, its
/// `id` a cursor. After a disconnect, reconnect with `Last-Event-ID`: no event is lost or repeated. Comments are sent
/// as keep-alive. The last event is `end`, with a `reason` in its data: `token_ended`: refresh the token and reconnect;
/// `shutting_down` or `unavailable`: reconnect. New reasons may be added.
#[operation(
    get "/v1/inbox/stream",
    tag = "events",
    answer = "The event stream.",
    problems(TooManyStreams, StreamsFull),
)]
pub(crate) async fn follow_inbox(
    services: Data<Services>,
    request: HttpRequest,
    caller: Auth<Read, Reads>,
    query: Queried<FollowInboxQuery>,
    last_event: LastEventIdHeader,
) -> ApiResult<Download<EventStream, String>> {
    let after = last_event.id.as_deref().or(query.0.after.as_deref());
    let inbox = services.inbox(caller.account, start(after, InboxStart::Now), PAGE).await?;
    Ok(event_stream(services.stream(caller.listener(&request), inbox).await?, |page: &InboxPage| {
        page.events
            .iter()
            .map(|event| {
                let json = print(&InboxEventBody::from(event))?;
                Ok(Event { id: event.cursor.clone(), name: "inbox", json })
            })
            .collect()
    }))
}

fn start(after: Option<&str>, without: InboxStart) -> InboxStart {
    match after {
        None => without,
        Some("now") => InboxStart::Now,
        Some(cursor) => InboxStart::After(cursor.to_owned()),
    }
}
