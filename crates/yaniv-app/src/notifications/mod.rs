//! Notifications to players, over the channels that they have set up (`channels`).
//!
//! Every notification is first written to an outbox, in the transaction that causes or detects it
//! (`outbox::enqueue`), so that play does not wait for sending. Every instance scans the match logs, each
//! match at one instance at a time (`outbox::log_scanner`), and every instance sends from the outbox
//! (`outbox::dispatcher`, `outbox::deliver`). There is no leader.

pub mod channels;
pub mod outbox;

use yaniv_model::ids::{AccountId, MatchId};
use yaniv_outbound::vapid::PushKey;
use yaniv_outbound::{HttpSender, MailSender};

use crate::kernel::worker::Wake;
use crate::notifications::outbox::host_health::HostHealth;
use crate::notifications::outbox::presence::Seen;
use crate::notifications::outbox::rate_limit::Rate;

pub use crate::notifications::channels::channel::{
    Channel, ChannelChanges, CreatedWebhook, Format, NewEmail, NewPush, NewWebhook,
};
pub use crate::notifications::channels::delivery_log::{DeliveryStatus, LoggedDelivery};
pub use crate::notifications::channels::kinds::{Kind, Kinds};
pub use crate::notifications::channels::manage::MOST_CHANNELS;
pub use crate::notifications::channels::settings::{NotificationSettings, QuietTime, WantedQuiet};
pub use crate::notifications::outbox::deadline_reminders::{Near, near_in_txn};
pub use crate::notifications::outbox::email::CODES_WITHIN;
pub use crate::notifications::outbox::enqueue::nudge_in_txn;
pub use yaniv_texts::{UnsubscribeTexts, unsubscribe_texts};

pub(crate) use crate::notifications::outbox::enqueue::{invite_in_txn, table_full_in_txn};

/// Shared state of sending notifications. Cheap to clone.
#[derive(Clone)]
pub struct Notifications {
    postman: HttpSender,
    mail: MailSender,
    key: PushKey,
    /// Whether destinations may be in private networks.
    private: bool,
    /// Default link of notifications whose channel has none.
    public_url: Option<String>,
    seen: Seen,
    rate: Rate,
    health: HostHealth,
    /// Wakes the dispatcher.
    wake: Wake,
}

impl Notifications {
    /// The shared state, from its parts.
    #[must_use]
    pub fn new(
        postman: HttpSender,
        mail: MailSender,
        key: PushKey,
        private: bool,
        public_url: Option<String>,
    ) -> Self {
        let public_url = public_url.filter(|url| !url.is_empty());
        let (seen, rate, health) = (Seen::default(), Rate::default(), HostHealth::default());
        Self { postman, mail, key, private, public_url, seen, rate, health, wake: Wake::default() }
    }

    /// Records that a player reads a match at a version. Background requests of a client do not count.
    pub(crate) fn read(&self, account: AccountId, id: MatchId, version: i32) {
        self.seen.read(account, id, version);
    }

    /// Records that a player has just played in a match, which made this version.
    pub(crate) fn played(&self, account: AccountId, id: MatchId, version: i32) {
        self.seen.played(account, id, version);
    }

    /// The newest version of a match that a player has seen lately at this instance.
    pub(crate) fn seen_version(&self, account: AccountId, id: MatchId) -> Option<i32> {
        self.seen.version(account, id)
    }

    /// Wakes the dispatcher.
    pub(crate) fn wake_dispatcher(&self) {
        self.wake.ring();
    }

    /// The public key for browsers' push subscriptions (VAPID).
    #[must_use]
    pub fn push_key(&self) -> &str {
        self.key.public()
    }
}
