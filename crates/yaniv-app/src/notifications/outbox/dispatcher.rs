//! Dispatcher of the outbox: every instance claims due notifications and sends them concurrently, so that
//! slow destinations do not delay others.
//!
//! The limits are in `concurrency`, a single delivery in `deliver`.

use std::time::Duration;

use tokio::task::JoinSet;
use uuid::Uuid;
use yaniv_db::notifications::delivery_claims::{Wanted, delivery_claim, delivery_load};

use crate::kernel::worker::{Next, Work};
use crate::notifications::outbox::concurrency::InFlightLimits;
use crate::notifications::outbox::deliver::EndpointHealth;
use crate::{ServiceError, Services};

/// Polling interval.
const PERIOD: Duration = Duration::from_secs(1);

/// The dispatcher: one run claims due notifications and starts their deliveries.
///
/// Deliveries in flight at the end of the worker are sent again later.
struct Dispatcher {
    services: Services,
    flight: InFlightLimits,
    tasks: JoinSet<()>,
}

impl Work for Dispatcher {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        while let Some(done) = self.tasks.try_join_next() {
            if let Err(error) = done {
                tracing::error!(%error, "the sending of a notice broke off");
            }
        }
        let more = self.services.claim_all(&self.flight, &mut self.tasks).await?;
        Ok(if more { Next::Now } else { Next::Period })
    }
}

impl Services {
    /// Starts the dispatcher, if this instance sends.
    ///
    /// Otherwise the outbox is still filled: another instance may send, or this one after a configuration change.
    pub(crate) fn start_dispatcher(&self) {
        if self.sends_notifications() {
            let (flight, tasks) = (InFlightLimits::default(), JoinSet::new());
            let dispatcher = Dispatcher { services: self.clone(), flight, tasks };
            self.worker("dispatcher", PERIOD).woken_by(&self.notices.wake).start(&self.runtime, dispatcher);
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
            tasks.spawn(async move {
                place.learn(services.deliver(told, lease).await);
                drop(place);
                // There is capacity for another one.
                services.notices.wake.ring();
            });
        }
        Ok(true)
    }
}
