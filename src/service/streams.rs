//! Listening for longer than a request takes: what ends it, and the two ways to wait, once (`Services::wait`) and on and
//! on (`Stream`). What is listened to, a `Source`, is in `events` and `inbox`.
//!
//! Nothing is gathered for a slow client: the next look is taken when what the last has found was sent.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval_at};

use super::access::Listener;
use super::stream_places::{Place, Streams};
use super::{ServiceError, Services};

pub use super::stream_places::MOST_OF_ACCOUNT;

/// Why a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The match is over, and everything was told.
    MatchOver,
    /// The token is not good any more.
    TokenEnded,
    /// The caller has no seat any more.
    SeatGone,
    /// The match has fewer entries than the caller has seen: the database was restored from a backup.
    Restored,
    /// The service stops.
    ShuttingDown,
    /// Something could not be read.
    Unavailable,
}

impl EndReason {
    /// As it is printed.
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

/// What a look at a source found.
pub trait Page {
    /// Nothing.
    fn is_empty(&self) -> bool;
    /// There is more, to be had by another look.
    fn has_more(&self) -> bool;
    /// Why nothing will come after it, if nothing will.
    fn end(&self) -> Option<EndReason>;
}

/// What can be listened to.
pub trait Source {
    /// What is found.
    type Page: Page;

    /// What has come since the last look.
    ///
    /// # Errors
    /// Those of the use case.
    fn look(&mut self, services: &Services) -> impl Future<Output = Result<Self::Page, ServiceError>>;

    /// Waits until there may be something new.
    fn changed(&mut self) -> impl Future<Output = ()>;
}

/// What whoever waits hears besides: that the token has ended, that the service stops.
struct Attention {
    listener: Listener,
    ended: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
}

/// What was heard.
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

    /// Waits for a change or a time.
    ///
    /// # Errors
    /// `InvalidToken` as soon as the token has ended.
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
    /// At most so many streams at a time, each with a sign of life after so long a silence.
    #[must_use]
    pub fn with_streams(mut self, most: usize, heartbeat: Duration) -> Self {
        self.streams = Streams::new(most, heartbeat.max(Duration::from_millis(100)));
        self
    }

    /// Ends all streams, and answers whoever waits: the service is about to stop.
    pub fn end_streams(&self) {
        self.streams.stop();
    }

    /// What has come, as soon as something has; after a time, or when the service stops, nothing.
    ///
    /// # Errors
    /// Those of the source; `InvalidToken` as soon as the token has ended.
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

    /// Listens on and on. The first look is taken here: what is wrong then can still be said.
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

/// What a stream tells.
pub enum Told<P> {
    /// Something has come.
    News(P),
    /// Nothing has, for a while.
    Beat,
    /// Nothing will.
    End(EndReason),
}

/// A source that is listened to on and on.
pub struct Stream<S: Source> {
    services: Services,
    source: S,
    attention: Attention,
    beats: Interval,
    /// What was found and is not told yet.
    found: Option<S::Page>,
    more: bool,
    end: Option<EndReason>,
    _place: Place,
}

impl<S: Source> Stream<S> {
    /// The next thing to tell; after an end there is none.
    pub async fn next(&mut self) -> Told<S::Page> {
        self.try_next().await.unwrap_or_else(|error| Told::End(EndReason::of(&error)))
    }

    async fn try_next(&mut self) -> Result<Told<S::Page>, ServiceError> {
        loop {
            if let Some(page) = self.found.take() {
                // What was found when the token had ended is not told.
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
