//! What is in the outbox is sent: by every instance, many at a time, and so that whoever is slow delays nobody else. Which
//! notices there are places for, says `flight`.

use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use uuid::Uuid;

use super::delivery::Felt;
use super::flight::Flight;
use crate::service::{ServiceError, Services};
use crate::store::delivery_claims::{Wanted, delivery_claim, delivery_load};

/// How long until it is looked again whether anything is due.
const PERIOD: Duration = Duration::from_secs(1);

impl Services {
    /// Sends what is due, from now until no more writes are to come. What is under way then is sent again later.
    pub(super) async fn dispatch(&self) {
        let (flight, mut tasks) = (Flight::default(), JoinSet::new());
        while !self.writes.is_closed() {
            let more = match self.claim_all(&flight, &mut tasks).await {
                Ok(more) => more,
                Err(error) => {
                    tracing::warn!(%error, "notices could not be claimed");
                    false
                }
            };
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

    /// Claims what there are places for and sets it going. Whether there may be more.
    async fn claim_all(&self, flight: &Flight, tasks: &mut JoinSet<()>) -> Result<bool, ServiceError> {
        let mut more = false;
        if !self.notices.seen.is_wanted() {
            return Ok(more);
        }
        for felt in [Felt::Unknown, Felt::Slow, Felt::Prompt] {
            if let Some(wanted) = flight.wanted(felt) {
                more |= self.claim(&wanted, flight, tasks).await?;
            }
        }
        Ok(more)
    }

    async fn claim(
        &self,
        wanted: &Wanted,
        flight: &Flight,
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
