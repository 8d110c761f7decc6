//! Long polls (`Services::wait`) and streams (`Stream`) over a `Source`. The sources are in
//! `feeds::match_feed` and `feeds::account_feed`.
//!
//! Nothing is buffered for a slow client: the next read follows when the last page has been sent.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use crate::accounts::access::Listener;
use crate::feeds::stream_limits::{Place, Streams};
use crate::{ServiceError, Services};

pub use crate::feeds::stream_limits::MOST_OF_ACCOUNT;

/// Reason for the end of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The match is over, and all its events were sent.
    MatchOver,
    /// The token is no longer valid.
    TokenEnded,
    /// The caller has no seat any more.
    SeatGone,
    /// The match has fewer entries than the caller has seen: the database was restored from a backup.
    Restored,
    /// The service is shutting down.
    ShuttingDown,
    /// A read failed.
    Unavailable,
}

impl EndReason {
    /// The name on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::MatchOver => "match_over",
            Self::TokenEnded => "token_ended",
            Self::SeatGone => "seat_gone",
            Self::Restored => "restored",
            Self::ShuttingDown => "shutting_down",
            Self::Unavailable => "unavailable",
        }
    }

    fn of(error: &ServiceError) -> Self {
        match error {
            ServiceError::InvalidToken => Self::TokenEnded,
            ServiceError::MatchNotFound => Self::SeatGone,
            _ => Self::Unavailable,
        }
    }
}

/// Result of one read of a source.
pub trait Page {
    /// Whether the page has no events.
    fn is_empty(&self) -> bool;
    /// Whether another read would return more events.
    fn has_more(&self) -> bool;
    /// The reason why no events follow this page, if none do.
    fn end(&self) -> Option<EndReason>;
}

/// A source of events.
pub trait Source {
    /// The type of its pages.
    type Page: Page;

    /// Reads the events since the last read.
    ///
    /// # Errors
    /// Those of the use case.
    fn look(&mut self, services: &Services) -> impl Future<Output = Result<Self::Page, ServiceError>>;

    /// Waits until there may be new events.
    fn changed(&mut self) -> impl Future<Output = ()>;
}

/// Other signals that end a wait: revocation of the token, shutdown of the service.
struct Attention {
    listener: Listener,
    ended: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
}

/// The signal that ended a wait.
enum Heard {
    Change,
    Time,
    Stop,
}

impl Attention {
    fn of(services: &Services, listener: Listener) -> Self {
        let (ended, stopping) = (services.ended.news(), services.streams.stopping());
        Self { listener, ended, stopping }
    }

    /// Waits for a change or a deadline.
    ///
    /// # Errors
    /// `InvalidToken` as soon as the token is revoked or expires.
    async fn listen(
        &mut self,
        services: &Services,
        changed: impl Future<Output = ()>,
        time: impl Future<Output = ()>,
    ) -> Result<Heard, ServiceError> {
        tokio::pin!(changed, time);
        loop {
            services.check_access(&self.listener.access)?;
            tokio::select! {
                biased;
                _ = self.stopping.wait_for(|stopping| *stopping) => return Ok(Heard::Stop),
                Ok(()) = self.ended.changed() => {}
                () = &mut changed => return Ok(Heard::Change),
                () = &mut time => return Ok(Heard::Time),
            }
        }
    }
}

impl Services {
    /// Sets the maximum number of streams and their heartbeat interval.
    #[must_use]
    pub fn with_streams(mut self, most: usize, heartbeat: Duration) -> Self {
        self.streams = Streams::new(most, heartbeat.max(Duration::from_millis(100)));
        self
    }

    /// Ends all streams and long polls before shutdown.
    pub fn end_streams(&self) {
        self.streams.stop();
    }

    /// Long poll: the next events as soon as there are any; an empty page at the timeout or at shutdown.
    ///
    /// # Errors
    /// Those of the source; `InvalidToken` as soon as the token is revoked or expires.
    pub async fn wait<S: Source>(
        &self,
        listener: Listener,
        mut source: S,
        wait: Duration,
    ) -> Result<S::Page, ServiceError> {
        let until = Instant::now() + wait;
        let mut attention = Attention::of(self, listener);
        loop {
            let page = source.look(self).await?;
            if !page.is_empty() || page.end().is_some() || Instant::now() >= until {
                return Ok(page);
            }
            let time = tokio::time::sleep_until(until);
            match attention.listen(self, source.changed(), time).await? {
                Heard::Change => {}
                Heard::Time | Heard::Stop => return Ok(page),
            }
        }
    }

    /// Opens a stream. The first read happens here, so that its error can become the response.
    ///
    /// # Errors
    /// `StreamsFull`, `TooManyStreams`, and those of the source.
    pub async fn stream<S: Source>(
        &self,
        listener: Listener,
        mut source: S,
    ) -> Result<Stream<S>, ServiceError> {
        let place = self.streams.enter(listener.access.account)?;
        let attention = Attention::of(self, listener);
        let first = source.look(self).await?;
        let heartbeat = self.streams.heartbeat();
        let mut beats = interval_at(Instant::now() + heartbeat, heartbeat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let found = Some(first);
        let services = self.clone();
        Ok(Stream { services, source, attention, beats, found, more: false, end: None, _place: place })
    }
}

/// An item of a stream.
pub enum Told<P> {
    /// New events.
    News(P),
    /// Heartbeat of an idle stream.
    Beat,
    /// End of the stream.
    End(EndReason),
}

/// An open stream over a source.
pub struct Stream<S: Source> {
    services: Services,
    source: S,
    attention: Attention,
    beats: Interval,
    /// A page that was read but not sent.
    found: Option<S::Page>,
    more: bool,
    end: Option<EndReason>,
    _place: Place,
}

impl<S: Source> Stream<S> {
    /// The next item; there is none after `End`.
    pub async fn next(&mut self) -> Told<S::Page> {
        self.try_next().await.unwrap_or_else(|error| Told::End(EndReason::of(&error)))
    }

    async fn try_next(&mut self) -> Result<Told<S::Page>, ServiceError> {
        loop {
            if let Some(page) = self.found.take() {
                // A page that was read before the token's revocation is not sent after it.
                self.services.check_access(&self.attention.listener.access)?;
                (self.more, self.end) = (page.has_more(), page.end());
                if !page.is_empty() {
                    return Ok(Told::News(page));
                }
            }
            if let Some(reason) = self.end {
                return Ok(Told::End(reason));
            }
            if self.more {
                self.found = Some(self.source.look(&self.services).await?);
                continue;
            }
            let beat = async {
                self.beats.tick().await;
            };
            match self.attention.listen(&self.services, self.source.changed(), beat).await? {
                Heard::Change => self.found = Some(self.source.look(&self.services).await?),
                Heard::Time => {
                    self.services.check_listener(&self.attention.listener).await?;
                    return Ok(Told::Beat);
                }
                Heard::Stop => return Ok(Told::End(EndReason::ShuttingDown)),
            }
        }
    }
}
