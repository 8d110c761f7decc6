//! Cleanup of notification data, and repair of missing scan positions, in a background task. Failures are
//! retried in the next run. General housekeeping is in `lifecycle::housekeeping`.

use std::time::Duration;

use chrono::TimeDelta;
use yaniv_db::accounts::email_codes::email_code_forget;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::channels::channel_forget;
use yaniv_db::notifications::deliveries::{delivery_drop_overdue, delivery_forget};
use yaniv_db::notifications::email_channels::email_channel_forget;
use yaniv_db::notifications::email_counts::email_count_forget;
use yaniv_db::notifications::rotated_secrets::rotated_secret_forget;
use yaniv_db::notifications::scan_positions::announcement_begin_missing;

use crate::kernel::worker::{Next, Work};
use crate::notifications::channels::email_limits::ADDRESSES_WITHIN;
use crate::notifications::channels::kinds::{ADDRESS_KEPT, OLDEST};
use crate::{ServiceError, Services};

/// Interval once any channel exists; and polling interval of whether one does.
const PERIOD: Duration = Duration::from_secs(600);
const LOOK: Duration = Duration::from_secs(1);
/// Retention of sent notifications, and of channels that are gone.
const LOG_KEPT: TimeDelta = TimeDelta::days(7);
const GONE_KEPT: TimeDelta = TimeDelta::days(30);

/// One run is a cleanup, or a check whether one is needed.
struct Cleanup(Services);

impl Work for Cleanup {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let services = &self.0;
        if !services.notices.seen.is_wanted() {
            return Ok(Next::After(LOOK));
        }
        warn("matches that were passed over", services.begin_missing().await);
        warn("channels that are gone", services.forget_channels().await);
        warn("notices of before", services.forget_deliveries().await);
        Ok(Next::Period)
    }
}

impl Services {
    /// Starts the cleanup.
    pub(crate) fn start_notice_cleanup(&self) {
        self.worker("cleanup of notices", PERIOD)
            .with_jitter(0.25)
            .start(&self.runtime, Cleanup(self.clone()));
    }

    async fn begin_missing(&self) -> Result<(), ServiceError> {
        Ok(announcement_begin_missing(&*self.store.connection().await?).await?)
    }

    async fn forget_channels(&self) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        email_code_forget(&connection).await?;
        rotated_secret_forget(&connection).await?;
        email_count_forget(&connection, ADDRESSES_WITHIN).await?;
        email_channel_forget(&connection, ADDRESS_KEPT).await?;
        Ok(channel_forget(&connection, clock_read(&connection).await? - GONE_KEPT).await?)
    }

    async fn forget_deliveries(&self) -> Result<(), ServiceError> {
        delivery_drop_overdue(&*self.store.connection().await?, OLDEST).await?;
        while delivery_forget(&*self.store.connection().await?, LOG_KEPT, 1000).await? == 1000 {}
        Ok(())
    }
}

fn warn(what: &'static str, done: Result<(), ServiceError>) {
    if let Err(error) = done {
        tracing::warn!(%error, "{what} were not looked after");
    }
}
