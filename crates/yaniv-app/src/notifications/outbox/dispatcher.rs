//! Dispatcher of the outbox: every instance claims due notifications and sends them concurrently, so that
//! slow destinations do not delay others.
//!
//! The limits are in `concurrency`, a single delivery in `deliver`.

use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use uuid::Uuid;
use yaniv_db::notifications::delivery_claims::{Wanted, delivery_claim, delivery_load};

use crate::notifications::outbox::concurrency::InFlightLimits;
use crate::notifications::outbox::deliver::EndpointHealth;
use crate::{ServiceError, Services};

/// Polling interval.
const PERIOD: Duration = Duration::from_secs(1);

impl Services {
    /// Sends due notifications until no more writes are accepted. Deliveries in flight then are sent again
    /// later.
    pub(crate) async fn dispatch(&self) {
        let (flight, mut tasks, mut failing) = (InFlightLimits::default(), JoinSet::new(), false);
        while !self.writes.is_closed() {
            let claimed = self.claim_all(&flight, &mut tasks).await;
            if let (Err(error), false) = (&claimed, failing) {
                tracing::warn!(%error, "notices could not be claimed");
            }
            failing = claimed.is_err();
            let more = claimed.unwrap_or_default();
            while let Some(done) = tasks.try_join_next() {
                warn(done);
            }
            if !more {
                tokio::select! {
                    Some(done) = tasks.join_next() => warn(done),
                    () = self.notices.wake.notified() => {}
                    () = tokio::time::sleep(PERIOD) => {}
                    () = self.writes.wait() => {}
                }
            }
        }
    }

    /// Claims due notifications within the limits, and spawns their deliveries. Returns whether there may be
    /// more.
    async fn claim_all(
        &self,
        flight: &InFlightLimits,
        tasks: &mut JoinSet<()>,
    ) -> Result<bool, ServiceError> {
        let mut more = false;
        if !self.notices.seen.is_wanted() {
            return Ok(more);
        }
        for felt in [EndpointHealth::Unknown, EndpointHealth::Slow, EndpointHealth::Prompt] {
            if let Some(wanted) = flight.wanted(felt) {
                more |= self.claim(&wanted, flight, tasks).await?;
            }
        }
        Ok(more)
    }

    async fn claim(
        &self,
        wanted: &Wanted,
        flight: &InFlightLimits,
        tasks: &mut JoinSet<()>,
    ) -> Result<bool, ServiceError> {
        let lease = Uuid::new_v4();
        let connection = self.store.connection().await?;
        let ids = delivery_claim(&connection, lease, wanted).await?;
        if ids.is_empty() {
            return Ok(false);
        }
        for told in delivery_load(&connection, &ids).await? {
            let (services, mut place) = (self.clone(), flight.begin(&told.host, told.account_id));
            tasks.spawn(async move { place.learn(services.deliver(told, lease).await) });
        }
        Ok(true)
    }
}

fn warn(done: Result<(), JoinError>) {
    if let Err(error) = done {
        tracing::error!(%error, "the sending of a notice broke off");
    }
}
