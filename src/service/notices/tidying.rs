//! Looks for matches that were passed over, and forgets what nobody needs any more: by a task of its own, which nobody waits
//! for. What goes wrong is tried again the next time.

use std::time::Duration;

use chrono::TimeDelta;

use crate::service::{ServiceError, Services};
use crate::store::channels::channel_forget;
use crate::store::clock::clock_read;
use crate::store::deliveries::delivery_forget;
use crate::store::match_announcements::announcement_begin_missing;
use crate::store::match_looks::look_forget;

/// How often, once anybody has a channel; and how often it is looked whether anybody has.
const PERIOD: Duration = Duration::from_secs(600);
const LOOK: Duration = Duration::from_secs(1);
/// How long what was sent is kept, looks, and channels that are gone.
const LOG_KEPT: TimeDelta = TimeDelta::days(7);
const LOOKS_KEPT: TimeDelta = TimeDelta::days(1);
const GONE_KEPT: TimeDelta = TimeDelta::days(30);

impl Services {
    /// Tidies up, from now until no more writes are to come.
    pub(super) async fn tidy_notices(&self) {
        while !self.writes.is_closed() {
            let wanted = self.notices.seen.is_wanted();
            if wanted {
                warn("matches that were passed over", self.begin_missing().await);
                warn("looks of before", self.forget_looks().await);
                warn("channels that are gone", self.forget_channels().await);
                warn("notices of before", self.forget_deliveries().await);
            }
            let pause = if wanted { PERIOD.mul_f64(1.0 + rand::random::<f64>() / 4.0) } else { LOOK };
            let _ = tokio::time::timeout(pause, self.writes.wait()).await;
        }
    }

    async fn begin_missing(&self) -> Result<(), ServiceError> {
        Ok(announcement_begin_missing(&*self.store.connection().await?).await?)
    }

    async fn forget_looks(&self) -> Result<(), ServiceError> {
        Ok(look_forget(&*self.store.connection().await?, LOOKS_KEPT).await?)
    }

    async fn forget_channels(&self) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        Ok(channel_forget(&connection, clock_read(&connection).await? - GONE_KEPT).await?)
    }

    async fn forget_deliveries(&self) -> Result<(), ServiceError> {
        while delivery_forget(&*self.store.connection().await?, LOG_KEPT, 1000).await? == 1000 {}
        Ok(())
    }
}

fn warn(what: &'static str, done: Result<(), ServiceError>) {
    if let Err(error) = done {
        tracing::warn!(%error, "{what} were not looked after");
    }
}
