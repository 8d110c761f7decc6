//! Rate limits, per account or per network. Each bucket has a name and a problem code, and is listed in the OpenAPI
//! document.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Interval in which idle keys are removed.
const FORGET_AFTER: Duration = Duration::from_secs(60);

/// A rate limit: the requests that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bucket {
    /// Registrations from a network.
    SignUps,
    /// Log-ins from a network.
    LogIns,
    /// Refreshes of sessions from a network.
    Refreshes,
    /// Codes of matches read from a network, without a token: a guess among 27^8 codes finds one of ten thousand
    /// waiting matches once in a year.
    JoinCodeReads,
    /// Exports of an account.
    Exports,
    /// Changes of an account's calendar; each affects all its matches.
    CalendarChanges,
    /// Downloads of all records of an account.
    Downloads,
    /// Reports of an account.
    Reports,
    /// Reads of an account.
    Reads,
    /// Writes of an account, except actions.
    Writes,
    /// All actions of an account, refused and repeated ones included.
    Actions,
    /// Refused actions of an account.
    RefusedActions,
    /// Retries of actions that have happened (same key): each answer is computed again.
    RepeatedActions,
}

/// Size of a bucket.
pub(crate) struct Allowance {
    /// Requests in the period; also the largest burst.
    pub(crate) count: u32,
    /// The period, in seconds.
    pub(crate) seconds: u32,
}

impl Bucket {
    /// All buckets.
    pub(crate) const ALL: &[Self] = &[
        Self::SignUps,
        Self::LogIns,
        Self::Refreshes,
        Self::JoinCodeReads,
        Self::Exports,
        Self::CalendarChanges,
        Self::Downloads,
        Self::Reports,
        Self::Reads,
        Self::Writes,
        Self::Actions,
        Self::RefusedActions,
        Self::RepeatedActions,
    ];

    /// Name in headers and in the OpenAPI document.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SignUps => "sign_ups",
            Self::LogIns => "log_ins",
            Self::Refreshes => "refreshes",
            Self::JoinCodeReads => "join_code_reads",
            Self::Exports => "exports",
            Self::CalendarChanges => "calendar_changes",
            Self::Downloads => "downloads",
            Self::Reports => "reports",
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Actions => "actions",
            Self::RefusedActions => "refused_actions",
            Self::RepeatedActions => "repeated_actions",
        }
    }

    /// The problem code when it is exhausted.
    pub(crate) fn code(self) -> ProblemCode {
        match self {
            Self::SignUps => ProblemCode::TooManySignUps,
            Self::LogIns => ProblemCode::TooManyLogIns,
            Self::Refreshes => ProblemCode::TooManyRefreshes,
            Self::JoinCodeReads => ProblemCode::TooManyJoinCodeReads,
            Self::Exports => ProblemCode::TooManyExports,
            Self::CalendarChanges => ProblemCode::TooManyCalendarChanges,
            Self::Downloads => ProblemCode::TooManyDownloads,
            Self::Reports => ProblemCode::TooManyReports,
            Self::Reads => ProblemCode::TooManyReads,
            Self::Writes => ProblemCode::TooManyWrites,
            Self::Actions => ProblemCode::TooManyActions,
            Self::RefusedActions => ProblemCode::TooManyRefusedActions,
            Self::RepeatedActions => ProblemCode::TooManyRepeatedActions,
        }
    }

    /// Its size.
    pub(crate) fn allowance(self) -> Allowance {
        let (count, seconds) = match self {
            Self::SignUps | Self::CalendarChanges | Self::Downloads | Self::Reports => (20, 3600),
            Self::LogIns => (30, 60),
            Self::Exports => (5, 3600),
            Self::Refreshes | Self::Reads | Self::RepeatedActions => (300, 60),
            // Enough for a program that plays 50 matches at once, with one action per second in each.
            Self::Actions => (3000, 60),
            Self::JoinCodeReads | Self::Writes | Self::RefusedActions => (60, 60),
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

/// The rate limiters, and the proxies whose `X-Forwarded-For` is trusted.
pub struct Limits {
    counted: Option<Counted>,
    trusted: Vec<IpNet>,
    /// Whether the log has said that a proxy sends what is no address.
    warned: AtomicBool,
}

struct Counted {
    sign_ups: DefaultKeyedRateLimiter<IpNet>,
    log_ins: DefaultKeyedRateLimiter<IpNet>,
    refreshes: DefaultKeyedRateLimiter<IpNet>,
    join_code_reads: DefaultKeyedRateLimiter<IpNet>,
    exports: DefaultKeyedRateLimiter<AccountId>,
    calendar_changes: DefaultKeyedRateLimiter<AccountId>,
    downloads: DefaultKeyedRateLimiter<AccountId>,
    reports: DefaultKeyedRateLimiter<AccountId>,
    reads: DefaultKeyedRateLimiter<AccountId>,
    writes: DefaultKeyedRateLimiter<AccountId>,
    actions: DefaultKeyedRateLimiter<AccountId>,
    refused_actions: DefaultKeyedRateLimiter<AccountId>,
    repeated_actions: DefaultKeyedRateLimiter<AccountId>,
}

impl Limits {
    /// Limits, counted only if `on`; `trusted` are the proxies whose `X-Forwarded-For` is believed.
    #[must_use]
    pub fn new(on: bool, trusted: Vec<IpNet>) -> Self {
        let counted = on.then(|| Counted {
            sign_ups: Bucket::SignUps.limiter(),
            log_ins: Bucket::LogIns.limiter(),
            refreshes: Bucket::Refreshes.limiter(),
            join_code_reads: Bucket::JoinCodeReads.limiter(),
            exports: Bucket::Exports.limiter(),
            calendar_changes: Bucket::CalendarChanges.limiter(),
            downloads: Bucket::Downloads.limiter(),
            reports: Bucket::Reports.limiter(),
            reads: Bucket::Reads.limiter(),
            writes: Bucket::Writes.limiter(),
            actions: Bucket::Actions.limiter(),
            refused_actions: Bucket::RefusedActions.limiter(),
            repeated_actions: Bucket::RepeatedActions.limiter(),
        });
        Self { counted, trusted, warned: AtomicBool::new(false) }
    }

    /// Starts the worker that removes idle keys.
    pub fn start_forgetting(self: &Arc<Self>, runtime: &Handle) {
        Worker::new("rate limits", FORGET_AFTER).start(runtime, Forgetting(Arc::clone(self)));
    }

    /// Counts a request of an account.
    ///
    /// # Errors
    /// The code of the bucket, if it is exhausted.
    pub(crate) fn count(&self, bucket: Bucket, account: AccountId) -> Result<(), ApiError> {
        let limiter = self.counted.as_ref().map(|counted| match bucket {
            Bucket::Exports => &counted.exports,
            Bucket::CalendarChanges => &counted.calendar_changes,
            Bucket::Downloads => &counted.downloads,
            Bucket::Reports => &counted.reports,
            Bucket::Reads => &counted.reads,
            Bucket::Actions => &counted.actions,
            Bucket::RefusedActions => &counted.refused_actions,
            Bucket::RepeatedActions => &counted.repeated_actions,
            Bucket::Writes | Bucket::SignUps | Bucket::LogIns | Bucket::Refreshes | Bucket::JoinCodeReads => {
                &counted.writes
            }
        });
        limiter.map_or(Ok(()), |limiter| take(limiter, &account, bucket))
    }

    /// Counts a request of an anonymous client, by network.
    ///
    /// # Errors
    /// The code of the bucket, if it is exhausted.
    pub(crate) fn count_stranger(&self, bucket: Bucket, network: IpNet) -> Result<(), ApiError> {
        let limiter = self.counted.as_ref().map(|counted| match bucket {
            Bucket::LogIns => &counted.log_ins,
            Bucket::Refreshes => &counted.refreshes,
            Bucket::JoinCodeReads => &counted.join_code_reads,
            Bucket::SignUps
            | Bucket::Exports
            | Bucket::CalendarChanges
            | Bucket::Downloads
            | Bucket::Reports
            | Bucket::Reads
            | Bucket::Writes
            | Bucket::Actions
            | Bucket::RefusedActions
            | Bucket::RepeatedActions => &counted.sign_ups,
        });
        limiter.map_or(Ok(()), |limiter| take(limiter, &network, bucket))
    }

    /// Whether this is the address of a trusted proxy.
    pub(crate) fn trusts(&self, address: IpAddr) -> bool {
        self.trusted.iter().any(|network| network.contains(&address))
    }

    /// The client's network. The client is the last address, of those forwarded and the peer, that is not a trusted
    /// proxy.
    pub(crate) fn network<'a>(
        &self,
        peer: Option<IpAddr>,
        forwarded: impl DoubleEndedIterator<Item = &'a str>,
    ) -> IpNet {
        let mut client = peer.map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |peer| peer.to_canonical());
        for address in forwarded.rev().map(str::trim).filter(|address| !address.is_empty()) {
            if !self.trusts(client) {
                break;
            }
            let Some(address) = forwarded_address(address) else {
                self.warn(client);
                break;
            };
            client = address.to_canonical();
        }
        // A client with one IPv6 address usually controls its whole /64.
        let length = if client.is_ipv4() { 32 } else { 64 };
        IpNet::new(client, length).map_or(client.into(), |network| network.trunc())
    }
}

impl Limits {
    /// Says once that clients cannot be told apart. Without what was sent: it may name the client.
    fn warn(&self, proxy: IpAddr) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            tracing::warn!(
                %proxy,
                "X-Forwarded-For of a trusted proxy has an entry that is no address: such clients share one rate limit"
            );
        }
    }
}

/// An address as proxies write it: alone, in brackets, or with a port.
fn forwarded_address(text: &str) -> Option<IpAddr> {
    let text = text.trim_matches('"');
    let alone = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    alone.parse().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

/// One run forgets who has not asked for long.
struct Forgetting(Arc<Limits>);

impl Work for Forgetting {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        if let Some(counted) = &self.0.counted {
            counted.sign_ups.retain_recent();
            counted.log_ins.retain_recent();
            counted.refreshes.retain_recent();
            counted.join_code_reads.retain_recent();
            counted.exports.retain_recent();
            counted.calendar_changes.retain_recent();
            counted.downloads.retain_recent();
            counted.reports.retain_recent();
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
        limits.network(peer.parse().ok(), forwarded.split(',')).to_string()
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

    #[test]
    fn an_address_may_have_brackets_and_a_port() {
        for (sent, network) in [
            ("203.0.113.7:4711", "203.0.113.7/32"),
            ("1.1.1.1:1, 203.0.113.7:4711,", "203.0.113.7/32"),
            ("203.0.113.7 , ,", "203.0.113.7/32"),
            ("[2001:db8::1]", "2001:db8::/64"),
            ("[2001:db8::1]:4711", "2001:db8::/64"),
            ("\"[2001:db8::1]:4711\"", "2001:db8::/64"),
            ("[::ffff:203.0.113.7]:4711", "203.0.113.7/32"),
            // Who comes from where the proxy does not know may have written what stands before.
            ("203.0.113.7, unknown", "10.0.0.1/32"),
            ("203.0.113.7:", "10.0.0.1/32"),
        ] {
            assert_eq!(seen(&["10.0.0.1/32"], "10.0.0.1", sent), network, "{sent}");
        }
    }
}
