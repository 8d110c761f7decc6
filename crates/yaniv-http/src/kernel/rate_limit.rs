//! Limits on how often somebody may ask. Each bucket has a name, a code and a place in the API's document.

use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;
use tokio::runtime::Handle;
use yaniv_app::ServiceError;
use yaniv_app::kernel::worker::{Next, Work, Worker};
use yaniv_model::ids::AccountId;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// How often those are forgotten who have not asked for long.
const FORGET_AFTER: Duration = Duration::from_secs(60);

/// What is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bucket {
    /// Registrations from an address.
    SignUps,
    /// Log-ins from an address.
    LogIns,
    /// Refreshes of log-ins from an address.
    Refreshes,
    /// Exports of an account.
    Exports,
    /// Changes of an account's calendar: all its matches hear of each.
    CalendarChanges,
    /// Downloads of all records of an account.
    Downloads,
    /// Requests of an account that change nothing.
    Reads,
    /// Its writes, actions excepted.
    Writes,
    /// Its actions, whatever becomes of them.
    Actions,
    /// Its actions that were refused.
    RefusedActions,
    /// Its actions that had happened before, by the same key: each answer is worked out again.
    RepeatedActions,
}

/// So many at once, and so many in a time.
pub(crate) struct Allowance {
    /// How many in that time; as many at once.
    pub(crate) count: u32,
    /// The time, in seconds.
    pub(crate) seconds: u32,
}

impl Bucket {
    /// All of them.
    pub(crate) const ALL: &[Self] = &[
        Self::SignUps,
        Self::LogIns,
        Self::Refreshes,
        Self::Exports,
        Self::CalendarChanges,
        Self::Downloads,
        Self::Reads,
        Self::Writes,
        Self::Actions,
        Self::RefusedActions,
        Self::RepeatedActions,
    ];

    /// Its name in the headers.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SignUps => "sign_ups",
            Self::LogIns => "log_ins",
            Self::Refreshes => "refreshes",
            Self::Exports => "exports",
            Self::CalendarChanges => "calendar_changes",
            Self::Downloads => "downloads",
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Actions => "actions",
            Self::RefusedActions => "refused_actions",
            Self::RepeatedActions => "repeated_actions",
        }
    }

    /// The code of who has asked too often.
    pub(crate) fn code(self) -> ProblemCode {
        match self {
            Self::SignUps => ProblemCode::TooManySignUps,
            Self::LogIns => ProblemCode::TooManyLogIns,
            Self::Refreshes => ProblemCode::TooManyRefreshes,
            Self::Exports => ProblemCode::TooManyExports,
            Self::CalendarChanges => ProblemCode::TooManyCalendarChanges,
            Self::Downloads => ProblemCode::TooManyDownloads,
            Self::Reads => ProblemCode::TooManyReads,
            Self::Writes => ProblemCode::TooManyWrites,
            Self::Actions => ProblemCode::TooManyActions,
            Self::RefusedActions => ProblemCode::TooManyRefusedActions,
            Self::RepeatedActions => ProblemCode::TooManyRepeatedActions,
        }
    }

    /// How much it holds.
    pub(crate) fn allowance(self) -> Allowance {
        let (count, seconds) = match self {
            Self::SignUps | Self::CalendarChanges | Self::Downloads => (20, 3600),
            Self::LogIns => (30, 60),
            Self::Exports => (5, 3600),
            Self::Refreshes | Self::Reads | Self::RepeatedActions => (300, 60),
            // A program that plays 50 matches at once, an action a second in each.
            Self::Actions => (3000, 60),
            Self::Writes | Self::RefusedActions => (60, 60),
        };
        Allowance { count, seconds }
    }

    fn limiter<K: Clone + std::hash::Hash + Eq>(self) -> DefaultKeyedRateLimiter<K> {
        let Allowance { count, seconds } = self.allowance();
        let each = Duration::from_secs(u64::from(seconds)) / count.max(1);
        let quota = Quota::with_period(each).unwrap_or(Quota::per_minute(NonZeroU32::MIN));
        RateLimiter::keyed(quota.allow_burst(NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN)))
    }
}

/// Who has asked how often.
pub struct Limits {
    counted: Option<Counted>,
    trusted: Vec<IpNet>,
}

struct Counted {
    sign_ups: DefaultKeyedRateLimiter<IpNet>,
    log_ins: DefaultKeyedRateLimiter<IpNet>,
    refreshes: DefaultKeyedRateLimiter<IpNet>,
    exports: DefaultKeyedRateLimiter<AccountId>,
    calendar_changes: DefaultKeyedRateLimiter<AccountId>,
    downloads: DefaultKeyedRateLimiter<AccountId>,
    reads: DefaultKeyedRateLimiter<AccountId>,
    writes: DefaultKeyedRateLimiter<AccountId>,
    actions: DefaultKeyedRateLimiter<AccountId>,
    refused_actions: DefaultKeyedRateLimiter<AccountId>,
    repeated_actions: DefaultKeyedRateLimiter<AccountId>,
}

impl Limits {
    /// Limits, if they are on; and the proxies that are believed when they say for whom they ask.
    #[must_use]
    pub fn new(on: bool, trusted: Vec<IpNet>) -> Self {
        let counted = on.then(|| Counted {
            sign_ups: Bucket::SignUps.limiter(),
            log_ins: Bucket::LogIns.limiter(),
            refreshes: Bucket::Refreshes.limiter(),
            exports: Bucket::Exports.limiter(),
            calendar_changes: Bucket::CalendarChanges.limiter(),
            downloads: Bucket::Downloads.limiter(),
            reads: Bucket::Reads.limiter(),
            writes: Bucket::Writes.limiter(),
            actions: Bucket::Actions.limiter(),
            refused_actions: Bucket::RefusedActions.limiter(),
            repeated_actions: Bucket::RepeatedActions.limiter(),
        });
        Self { counted, trusted }
    }

    /// Starts the worker that forgets who has not asked for long.
    pub fn start_forgetting(self: &Arc<Self>, runtime: &Handle) {
        Worker::new("rate limits", FORGET_AFTER).start(runtime, Forgetting(Arc::clone(self)));
    }

    /// Counts something that an account does.
    ///
    /// # Errors
    /// The code of the bucket, if it is empty.
    pub(crate) fn count(&self, bucket: Bucket, account: AccountId) -> Result<(), ApiError> {
        let limiter = self.counted.as_ref().map(|counted| match bucket {
            Bucket::Exports => &counted.exports,
            Bucket::CalendarChanges => &counted.calendar_changes,
            Bucket::Downloads => &counted.downloads,
            Bucket::Reads => &counted.reads,
            Bucket::Actions => &counted.actions,
            Bucket::RefusedActions => &counted.refused_actions,
            Bucket::RepeatedActions => &counted.repeated_actions,
            _ => &counted.writes,
        });
        limiter.map_or(Ok(()), |limiter| take(limiter, &account, bucket))
    }

    /// Counts something that somebody does who is known by an address alone.
    ///
    /// # Errors
    /// The code of the bucket, if it is empty.
    pub(crate) fn count_stranger(&self, bucket: Bucket, network: IpNet) -> Result<(), ApiError> {
        let limiter = self.counted.as_ref().map(|counted| match bucket {
            Bucket::LogIns => &counted.log_ins,
            Bucket::Refreshes => &counted.refreshes,
            _ => &counted.sign_ups,
        });
        limiter.map_or(Ok(()), |limiter| take(limiter, &network, bucket))
    }

    /// The network of who asks: of the last address that no trusted proxy has, of what was forwarded and the peer itself.
    pub(crate) fn network<'a>(
        &self,
        peer: Option<IpAddr>,
        forwarded: impl DoubleEndedIterator<Item = &'a str>,
    ) -> IpNet {
        let trusts = |address: IpAddr| self.trusted.iter().any(|network| network.contains(&address));
        let mut client = peer.map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.to_canonical());
        for address in forwarded.rev() {
            let Ok(address) = address.trim().parse::<IpAddr>() else { break };
            if !trusts(client) {
                break;
            }
            client = address.to_canonical();
        }
        // Who has one address of version 6 has all of its network.
        let length = if client.is_ipv4() { 32 } else { 64 };
        IpNet::new(client, length).map_or(client.into(), |network| network.trunc())
    }
}

/// One run forgets who has not asked for long.
struct Forgetting(Arc<Limits>);

impl Work for Forgetting {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        if let Some(counted) = &self.0.counted {
            counted.sign_ups.retain_recent();
            counted.log_ins.retain_recent();
            counted.refreshes.retain_recent();
            counted.exports.retain_recent();
            counted.calendar_changes.retain_recent();
            counted.downloads.retain_recent();
            counted.reads.retain_recent();
            counted.writes.retain_recent();
            counted.actions.retain_recent();
            counted.refused_actions.retain_recent();
            counted.repeated_actions.retain_recent();
        }
        Ok(Next::Period)
    }
}

fn take<K: Clone + std::hash::Hash + Eq>(
    limiter: &DefaultKeyedRateLimiter<K>,
    key: &K,
    bucket: Bucket,
) -> Result<(), ApiError> {
    limiter.check_key(key).map_err(|until| {
        let wait = until.wait_time_from(DefaultClock::default().now());
        ApiError::limited(bucket, wait.as_secs().saturating_add(1))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(trusted: &[&str], peer: &str, forwarded: &str) -> String {
        let trusted = trusted.iter().filter_map(|network| network.parse().ok()).collect();
        let limits = Limits::new(true, trusted);
        limits.network(peer.parse().ok(), forwarded.split(',').filter(|part| !part.is_empty())).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed() {
        let proxies = ["10.0.0.0/8", "fd00::/8"];
        assert_eq!(seen(&[], "203.0.113.7", "198.51.100.1"), "203.0.113.7/32");
        assert_eq!(seen(&proxies, "10.1.2.3", "198.51.100.1"), "198.51.100.1/32");
        assert_eq!(seen(&proxies, "10.1.2.3", "1.1.1.1, 198.51.100.1, 10.9.9.9"), "198.51.100.1/32");
        assert_eq!(seen(&proxies, "203.0.113.7", "198.51.100.1"), "203.0.113.7/32");
        assert_eq!(seen(&proxies, "10.1.2.3", ""), "10.1.2.3/32");
        assert_eq!(seen(&proxies, "10.1.2.3", "nonsense"), "10.1.2.3/32");
        assert_eq!(seen(&proxies, "::ffff:10.1.2.3", "2001:db8:1:2:3::4"), "2001:db8:1:2::/64");
    }
}
