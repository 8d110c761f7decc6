//! Streams of events as browsers and curl know them: `text/event-stream`, each event with an `id` by which a
//! client goes on after its connection was cut.
//!
//! `yaniv_app::feeds::streams` decides which events are sent.

use actix_web::web::Bytes;
use futures_util::stream::unfold;
use yaniv_app::feeds::streams::{EndReason, Source, Stream, Told};

use crate::kernel::error::ApiError;
use crate::kernel::responses::{Download, Media};

/// How long clients wait before they come back, in milliseconds: not all at the same moment.
const RETRY: std::ops::Range<u32> = 1000..3000;

/// `text/event-stream`.
pub(crate) enum EventStream {}

impl Media for EventStream {
    const TYPE: &'static str = "text/event-stream";
}

/// One event: its `id`, what it is, and its data, in one line.
pub(crate) struct Event {
    /// By which a client goes on behind it.
    pub(crate) id: String,
    /// What the data are.
    pub(crate) name: &'static str,
    /// JSON.
    pub(crate) json: String,
}

impl Event {
    fn print(&self) -> String {
        let Self { id, name, json } = self;
        format!("id: {id}\nevent: {name}\ndata: {json}\n\n")
    }
}

/// Sends a stream as it goes. A page is asked for when the one before has been taken by the connection.
pub(crate) fn event_stream<S: Source + 'static>(
    stream: Stream<S>,
    events: fn(&S::Page) -> Result<Vec<Event>, ApiError>,
) -> Download<EventStream, String> {
    let hello = format!("retry: {}\n\n", rand::random_range(RETRY));
    let sending = Sending { stream: Some(stream), hello: Some(hello), events };
    Download::event_stream(unfold(sending, step))
}

struct Sending<S: Source> {
    /// None after its end.
    stream: Option<Stream<S>>,
    /// What comes first.
    hello: Option<String>,
    events: fn(&S::Page) -> Result<Vec<Event>, ApiError>,
}

/// The next bytes, and what is behind them.
async fn step<S: Source>(mut sending: Sending<S>) -> Option<(std::io::Result<Bytes>, Sending<S>)> {
    if let Some(hello) = sending.hello.take() {
        return Some((Ok(Bytes::from(hello)), sending));
    }
    let text = match sending.stream.as_mut()?.next().await {
        Told::News(page) => match (sending.events)(&page) {
            Ok(events) => events.iter().map(Event::print).collect(),
            Err(error) => {
                sending.stream = None;
                // What is sent already cannot be taken back: the connection is closed.
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

/// Without an `id`: whoever comes back goes on behind the last event.
fn end(reason: EndReason) -> String {
    format!("event: end\ndata: {{\"reason\":\"{}\"}}\n\n", reason.as_str())
}
