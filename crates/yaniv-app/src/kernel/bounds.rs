//! Bounds of what an account can make, in one table: how many at once, how many on a day, how long it lives unused.
//!
//! Rates of requests are in `yaniv-http`; bounds inside a match are those of the rules and of standing orders.

use chrono::TimeDelta;
use yaniv_db::Connection;
use yaniv_db::kernel::daily_counts::daily_count_add_in_txn;
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// The bounds of a kind of row.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Its name, as stored in `daily_counts`.
    pub kind: &'static str,
    /// Maximum number at a time.
    pub at_once: usize,
    /// Maximum number made on a day (UTC).
    pub a_day: Option<i32>,
    /// After this number of days unused it ends.
    pub unused_days: Option<i64>,
}

const fn at_once(kind: &'static str, at_once: usize) -> Bounds {
    Bounds { kind, at_once, a_day: None, unused_days: None }
}

/// Matches made by an account. At a time: those in which it has a seat and that have not started.
pub const WAITING_MATCHES: Bounds =
    Bounds { a_day: Some(500), unused_days: Some(30), ..at_once("match", 20) };
/// Matches in which an account has a seat, and that have started.
pub const RUNNING_MATCHES: Bounds = at_once("running match", 1_000);
/// Challenges made by an account; open ones at a time. The number of challenges received is not limited.
pub const CHALLENGES: Bounds = Bounds { a_day: Some(300), unused_days: Some(14), ..at_once("challenge", 20) };
/// Requests to be paired that wait.
pub const PAIRINGS: Bounds = Bounds { a_day: Some(300), unused_days: Some(14), ..at_once("pairing", 20) };
/// Sessions. The least recently used one makes room.
pub const SESSIONS: Bounds = Bounds { unused_days: Some(60), ..at_once("session", 100) };
/// Personal tokens, those of apps included.
pub const TOKENS: Bounds = at_once("token", 100);
/// Passkeys.
pub const PASSKEYS: Bounds = at_once("passkey", 20);
/// Bots of an owner.
pub const BOTS: Bounds = at_once("bot", 10);
/// Notification channels.
pub const CHANNELS: Bounds = at_once("channel", 20);
/// Open streams at an instance.
pub const STREAMS: Bounds = at_once("stream", 20);

/// The table.
pub const ALL: [Bounds; 10] = [
    WAITING_MATCHES,
    RUNNING_MATCHES,
    CHALLENGES,
    PAIRINGS,
    SESSIONS,
    TOKENS,
    PASSKEYS,
    BOTS,
    CHANNELS,
    STREAMS,
];

impl Bounds {
    /// Whether there are as many as may be at a time.
    pub(crate) fn reached(&self, count: i64) -> bool {
        usize::try_from(count).is_ok_and(|count| count >= self.at_once)
    }

    /// How long it lives unused.
    pub(crate) const fn life(&self) -> TimeDelta {
        match self.unused_days {
            Some(days) => TimeDelta::days(days),
            None => TimeDelta::MAX,
        }
    }

    /// Counts one more of today, in the transaction that makes it.
    ///
    /// # Errors
    /// `refusal` if there are as many as may be.
    pub(crate) async fn count_in_txn(
        &self,
        connection: &Connection,
        account: AccountId,
        refusal: ServiceError,
    ) -> Result<(), ServiceError> {
        let Some(most) = self.a_day else { return Ok(()) };
        let made = daily_count_add_in_txn(connection, account, self.kind).await?;
        if made > most { Err(refusal) } else { Ok(()) }
    }
}
