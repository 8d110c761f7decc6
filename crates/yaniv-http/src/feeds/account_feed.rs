//! What happens in all matches of an account, and to its challenges: once (a long poll), or on and on (a stream).

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

/// Events that a stream looks for at a time.
const PAGE: i64 = 50;

/// What to wait for.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct InboxQuery {
    /// `cursor` of the answer before: what came after it is wanted. `now` begins with what comes; left out, it begins a day ago.
    #[param(
        required = false,
        nullable = false,
        max_length = 32768,
        pattern = "^[A-Za-z0-9_-]*$",
        example = "now"
    )]
    after: Option<String>,
    /// How many seconds to wait for something, 0 to 50; 25 if left out.
    #[param(required = false, nullable = false, minimum = 0, maximum = 50)]
    wait: Option<i32>,
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
}

/// Where to begin.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct FollowInboxQuery {
    /// A `cursor`, or the `id` of an event: what came after it is sent. `now`, or left out, begins with what comes.
    /// `Last-Event-ID` goes before it.
    #[param(
        required = false,
        nullable = false,
        max_length = 32768,
        pattern = "^[A-Za-z0-9_-]*$",
        example = "now"
    )]
    after: Option<String>,
}

/// Wait for what happens in all your matches.
///
/// What has happened since a cursor, in all matches in which you have a seat, as you may know it, and to the challenges that
/// you see: at once if there is anything, otherwise as soon as there is; after `wait` seconds an empty list. Ask again after
/// `cursor`: nothing is left out, and nothing shown twice, whatever happens at the same time.
#[operation(
    get "/v1/inbox",
    tag = "events",
    answer = "What has happened, perhaps nothing.",
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
/// The same as a stream of server-sent events, which stays open: each is an event `inbox`, its data an `InboxEvent` as JSON,
/// its `id` a cursor. After a cut connection go on with `Last-Event-ID`: nothing is left out, nothing sent twice. Comments come
/// when nothing else does. The last event is `end`, its data a `reason`: `token_ended`, refresh it and come
/// back; `shutting_down` or `unavailable`, come back. New reasons may come.
#[operation(
    get "/v1/inbox/stream",
    tag = "events",
    answer = "Events, for as long as you listen.",
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
