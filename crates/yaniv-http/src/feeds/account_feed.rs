//! What happens in all matches of an account, and to its challenges: once (a long poll), or on and on (a stream).

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_app::feeds::account_feed::{InboxPage, InboxStart};

use crate::feeds::account_feed_body::{InboxEventBody, InboxPageBody};
use crate::feeds::match_feed::{LastEventIdHeader, last_event_id};
use crate::feeds::sse::{Event, event_stream};
use crate::kernel::error::ApiError;
use crate::kernel::extract::Listening;
use crate::kernel::json::Queried;
use crate::kernel::params::{check_range, wait_time};
use crate::kernel::problem::Problem;
use crate::kernel::responses::{plain, print};

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
#[utoipa::path(
    operation_id = "readInbox",
    tag = "events",
    security(("access_token" = [])),
    params(InboxQuery),
    responses(
        (status = 200, description = "What has happened, perhaps nothing.", body = InboxPageBody),
    )
)]
#[get("/v1/inbox")]
pub(crate) async fn read_inbox(
    services: Data<Services>,
    request: HttpRequest,
    listening: Listening,
    query: Queried<InboxQuery>,
) -> Result<HttpResponse, ApiError> {
    let limit = check_range("limit", query.0.limit.unwrap_or(50), 1..=100)?;
    let wait = wait_time(&request, query.0.wait)?;
    let start = start(query.0.after.as_deref(), InboxStart::Lately);
    let inbox = services.inbox(listening.0.access.account, start, i64::from(limit)).await?;
    let page = services.wait(listening.0, inbox, wait).await?;
    plain(StatusCode::OK, &InboxPageBody::new(&page, services.now()))
}

/// Follow all your matches.
///
/// The same as a stream of server-sent events, which stays open: each is an event `inbox`, its data an `InboxEvent` as JSON,
/// its `id` a cursor. After a cut connection go on with `Last-Event-ID`: nothing is left out, nothing sent twice. Comments come
/// when nothing else does. The last event is `end`, its data a `reason`: `token_ended`, refresh it and come
/// back; `shutting_down` or `unavailable`, come back. New reasons may come.
#[utoipa::path(
    operation_id = "followInbox",
    tag = "events",
    security(("access_token" = [])),
    params(FollowInboxQuery, LastEventIdHeader),
    responses(
        (status = 200, description = "Events, for as long as you listen.", body = String, content_type = "text/event-stream"),
        (status = 429, description = "`too_many_streams`.", body = Problem, content_type = "application/problem+json"),
        (status = 503, description = "`streams_full`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/inbox/stream")]
pub(crate) async fn follow_inbox(
    services: Data<Services>,
    request: HttpRequest,
    listening: Listening,
    query: Queried<FollowInboxQuery>,
) -> Result<HttpResponse, ApiError> {
    let after = last_event_id(&request)?.or(query.0.after.as_deref());
    let inbox = services.inbox(listening.0.access.account, start(after, InboxStart::Now), PAGE).await?;
    Ok(event_stream(services.stream(listening.0, inbox).await?, |page: &InboxPage| {
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
