//! Confirmation of refreshes: a refresh is confirmed by the first use of its access token.
//!
//! After that the previous refresh token gets no response any more, and its use means theft
//! (`accounts::refresh`). Each instance notes in memory the first use that it sees; a background task writes
//! it to the session, one statement per refresh. No request waits for it. If a write fails, the previous
//! token is accepted until the next one is used; then the next one is void, and its use ends the session.

use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use yaniv_auth::opaque::Generation;
use yaniv_auth::token::Verified;
use yaniv_db::accounts::sessions::session_confirm;
use yaniv_db::{Store, StoreError};
use yaniv_model::ids::SessionId;

/// Delay between the first use and the write.
///
/// Requests that a client sent at the same moment, each with its own refresh, all get the same tokens.
const DELAY: Duration = Duration::from_secs(1);

/// Queue of first uses. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Confirmations(UnboundedSender<Use>);

struct Use {
    session: SessionId,
    generation: Generation,
    at: Instant,
}

impl Confirmations {
    /// Starts the task that writes noted uses to `store`; it ends when the last sender is dropped.
    pub(crate) fn write_to(store: Store, runtime: &Handle) -> Self {
        let (sender, mut noted) = unbounded_channel::<Use>();
        runtime.spawn(async move {
            while let Some(first) = noted.recv().await {
                tokio::time::sleep_until((first.at + DELAY).into()).await;
                if let Err(error) = confirm(&store, &first).await {
                    tracing::warn!(%error, "the confirmation of a refresh could not be stored");
                }
            }
        });
        Self(sender)
    }

    /// Notes the use of an access token if it is the first on this instance.
    pub(crate) fn note(&self, verified: &Verified) {
        let Some(generation) = verified.first_use_of else { return };
        let used = Use { session: verified.session, generation, at: Instant::now() };
        // The receiver is gone only during shutdown.
        drop(self.0.send(used));
    }
}

async fn confirm(store: &Store, used: &Use) -> Result<(), StoreError> {
    session_confirm(&*store.connection().await?, used.session, used.generation.0).await
}
