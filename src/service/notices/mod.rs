//! Notices: telling players what they wait for, where they want to be told.
//!
//! What is to be told goes into an outbox, in the transaction in which it happens or is found out (`announce`); nobody who
//! plays waits for it. Matches are looked through by every instance, each match by one at a time (`announcer`); what is in the
//! outbox is sent by every instance, too (`dispatcher`, `delivery`). There is no leader.

mod announce;
mod announcer;
mod channel;
mod channels;
mod delivery;
mod dispatcher;
mod flight;
mod kinds;
mod log;
mod near;
mod payload;
mod quiet;
mod rate;
mod seen;
mod settings;
mod tidying;
mod told;

use std::sync::Arc;

use tokio::sync::Notify;

use crate::ids::{AccountId, MatchId};
use crate::outward::Postman;
use crate::outward::vapid::PushKey;

use self::rate::Rate;
use self::seen::Seen;

pub use announce::nudge_in_txn;
pub use channel::{Channel, ChannelChanges, CreatedWebhook, Format, NewPush, NewWebhook};
pub use channels::MOST_CHANNELS;
pub use kinds::{Kind, Kinds};
pub use log::{DeliveryPage, DeliveryStatus, LoggedDelivery};
pub use near::{Near, near_in_txn};
pub use settings::{NoticeSettings, QuietTime, WantedQuiet};

pub(super) use announce::invite_in_txn;

/// What notices are sent with. Cheap to clone.
#[derive(Clone)]
pub struct Notices {
    postman: Postman,
    key: PushKey,
    /// Whether destinations may be inside of networks.
    private: bool,
    /// Where notices lead that have no link of their own.
    public_url: Option<String>,
    seen: Seen,
    rate: Rate,
    wake: Arc<Notify>,
}

impl Notices {
    /// Puts the parts together.
    #[must_use]
    pub fn new(postman: Postman, key: PushKey, private: bool, public_url: Option<String>) -> Self {
        let public_url = public_url.filter(|url| !url.is_empty());
        let (seen, rate) = (Seen::default(), Rate::default());
        Self { postman, key, private, public_url, seen, rate, wake: Arc::default() }
    }

    /// A player looks at a match: asks for it, or has just played. What a client waits for in the background is no look.
    pub(super) fn saw(&self, account: AccountId, id: MatchId) {
        self.seen.saw(account, id);
    }

    /// What browsers subscribe with.
    #[must_use]
    pub fn push_key(&self) -> &str {
        self.key.public()
    }
}
