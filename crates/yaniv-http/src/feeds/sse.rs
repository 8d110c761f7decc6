//! Server-sent events (`text/event-stream`). Each event has an `id`, with which a client resumes after a disconnect.
//!
//! `yaniv_app::feeds::streams` decides which events are sent.

use actix_web::web::Bytes;
use futures_util::stream::unfold;
use yaniv_app::feeds::streams::{EndReason, Source, Stream, Told};

use crate::kernel::error::ApiError;
use crate::kernel::responses::{Download, Media};

/// Reconnection delay of clients, in milliseconds; random, so that they do not all reconnect at once.
const RETRY: std::ops::Range<u32> = 1000..3000;

/// `text/event-stream`.
pub(crate) enum EventStream {}

impl Media for EventStream {
    const TYPE: &'static str = "text/event-stream";
}

/// One event: `id`, name, and data in one line.
pub(crate) struct Event {
    /// The client resumes after this `id`.
    pub(crate) id: String,
    /// Name of the event.
    pub(crate) name: &'static str,
    /// The data, as JSON.
    pub(crate) json: String,
}

impl Event {
    fn print(&self) -> String {
        let Self { id, name, json } = self;
        format!("id: {id}\nevent: {name}\ndata: {json}\n\n")
    }
}

/// Sends a stream. The next page is read after the connection has taken the previous one (backpressure).
pub(crate) fn event_stream<S: Source + 'static>(
    stream: Stream<S>,
    events: fn(&S::Page) -> Result<Vec<Event>, ApiError>,
) -> Download<EventStream, String> {
    let hello = format!("retry: {}\n\n", rand::random_range(RETRY));
    let sending = Sending { stream: Some(stream), hello: Some(hello), events };
    Download::event_stream(unfold(sending, step))
}

struct Sending<S: Source> {
    /// `None` after its end.
    stream: Option<Stream<S>>,
    /// The first bytes: the reconnection delay.
    hello: Option<String>,
    events: fn(&S::Page) -> Result<Vec<Event>, ApiError>,
}

/// The next bytes, and the state after them.
async fn step<S: Source>(mut sending: Sending<S>) -> Option<(std::io::Result<Bytes>, Sending<S>)> {
    if let Some(hello) = sending.hello.take() {
        return Some((Ok(Bytes::from(hello)), sending));
    }
    let text = match sending.stream.as_mut()?.next().await {
        Told::News(page) => match (sending.events)(&page) {
            Ok(events) => events.iter().map(Event::print).collect(),
            Err(error) => {
                sending.stream = None;
                // The response has begun: an error can only close the connection.
                return Some((Err(std::io::Error::other(error.to_string())), sending));
            }
        },
        Told::Beat => ": still here\n\n".to_owned(),
        Told::End(reason) => {
            sending.stream = None;
            end(reason)
        }
    };
    Some((Ok(Bytes::from(text)), sending))
}

/// The last event. It has no `id`, so a client that reconnects resumes after the last real event.
fn end(reason: EndReason) -> String {
    format!("event: end\ndata: {{\"reason\":\"{}\"}}\n\n", reason.as_str())
}
