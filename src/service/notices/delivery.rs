//! One notice, once: whether it is still worth sending, the sending, and what becomes of it.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;

use super::kinds::Kind;
use super::quiet::quiet_until;
use super::settings::zone;
use crate::outward::{Answer, Failure};
use crate::service::{ServiceError, Services};
use crate::store::channels::{Said, WEB_PUSH, channel_note};
use crate::store::deliveries::{
    DELIVERED, DROPPED, Ended, FAILED, Waiting, delivery_drop_all, delivery_end, delivery_wait,
};
use crate::store::delivery_claims::ClaimedDelivery;

/// After each failure, the pause before the next try, in seconds: three days in all, after Standard Webhooks.
const PAUSES: [u32; 10] = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// How long somebody who has looked is taken to be looking.
const LOOKING: TimeDelta = TimeDelta::seconds(60);
/// What has not gone out for so long is given up, whatever kept it: longer than all tries take.
const OLDEST: TimeDelta = TimeDelta::days(14);

/// What to do with a notice.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Send it.
    Send,
    /// It is no longer worth telling.
    Drop(&'static str),
    /// Not before.
    Hold(DateTime<Utc>),
}

/// What was learnt about a destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Felt {
    /// It answers.
    Prompt,
    /// It does not, or not in time.
    Slow,
    /// It was not asked.
    Unknown,
}

/// What is written down of a try.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Ended(Ended),
    Waits(Waiting),
}

fn verdict(told: &ClaimedDelivery) -> Verdict {
    if !told.open {
        return Verdict::Drop("channel_closed");
    }
    if told.kind == Kind::Test.name() {
        return Verdict::Send;
    }
    if !told.holds || told.now - told.happened_at > OLDEST {
        return Verdict::Drop("outdated");
    }
    if told.immediate {
        return Verdict::Send;
    }
    if let Some(looked_at) = told.looked_at {
        if looked_at >= told.happened_at {
            return Verdict::Drop("seen");
        }
        // Whoever has just looked may be looking still: if so, the next look tells.
        if looked_at + LOOKING > told.now {
            return Verdict::Hold(looked_at + LOOKING);
        }
    }
    let quiet = told.time_zone.as_deref().zip(told.quiet_from.zip(told.quiet_to));
    match quiet.and_then(|(name, (from, to))| quiet_until(zone(name), from, to, told.now)) {
        Some(until) => Verdict::Hold(until),
        None => Verdict::Send,
    }
}

impl Services {
    /// Does what is to be done with a claimed notice.
    pub(super) async fn deliver(&self, told: ClaimedDelivery, lease: Uuid) -> Felt {
        let (result, felt, said) = match verdict(&told) {
            Verdict::Drop(why) => (untried(DROPPED, why), Felt::Unknown, None),
            Verdict::Hold(until) => (held((until - told.now).as_seconds_f64()), Felt::Unknown, None),
            Verdict::Send => match self.notices.rate.take(told.channel_id, Instant::now()) {
                Some(wait) => (held(wait.as_secs_f64()), Felt::Unknown, None),
                None => self.send(&told).await,
            },
        };
        // What is not written down is sent again when the claim is over, under the same identifier.
        for _ in 0..5 {
            match self.write_down(&told, lease, &result, said).await {
                Ok(()) => break,
                Err(error) => {
                    tracing::warn!(%error, "what became of a notice was not written down");
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            }
        }
        felt
    }

    async fn send(&self, told: &ClaimedDelivery) -> (Outcome, Felt, Option<Said>) {
        let post = match self.notices.post(told) {
            Ok(post) => post,
            Err(why) => return (untried(FAILED, why.name()), Felt::Unknown, Some(Said::Failed)),
        };
        match self.notices.postman.send(post).await {
            Answer::Status(status @ 200..=299, _) => {
                (ended(DELIVERED, Some(status), None), Felt::Prompt, Some(Said::Well))
            }
            Answer::Status(status, _) if is_gone(told, status) => {
                (ended(FAILED, Some(status), Some("gone")), Felt::Prompt, Some(Said::Gone))
            }
            Answer::Status(status, wait) => {
                (again(told, Some(status), "refused", wait), Felt::Prompt, Some(Said::Failed))
            }
            Answer::None(Failure::Timeout) => {
                (again(told, None, "timeout", None), Felt::Slow, Some(Said::Failed))
            }
            Answer::None(Failure::Unreachable) => {
                (again(told, None, "unreachable", None), Felt::Slow, Some(Said::Failed))
            }
        }
    }

    async fn write_down(
        &self,
        told: &ClaimedDelivery,
        lease: Uuid,
        result: &Outcome,
        said: Option<Said>,
    ) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        match *result {
            Outcome::Ended(how) => {
                delivery_end(&connection, told.id, lease, how).await?;
            }
            Outcome::Waits(how) => delivery_wait(&connection, told.id, lease, how).await?,
        }
        if let Some(said) = said {
            channel_note(&connection, told.channel_id, said).await?;
            if said == Said::Gone {
                delivery_drop_all(&connection, told.channel_id, "channel_closed").await?;
            }
        }
        Ok(())
    }
}

/// Whether the other side says that there is nobody any more, for good. Push services say so by both; a webhook that
/// is not found may be there again after the next release.
fn is_gone(told: &ClaimedDelivery, status: u16) -> bool {
    status == 410 || (status == 404 && told.format == WEB_PUSH)
}

fn ended(outcome: &'static str, answer: Option<u16>, failure: Option<&'static str>) -> Outcome {
    let answer = answer.and_then(|status| i16::try_from(status).ok());
    Outcome::Ended(Ended { outcome, tried: true, answer, failure })
}

/// Ended without anything having been sent.
fn untried(outcome: &'static str, why: &'static str) -> Outcome {
    Outcome::Ended(Ended { outcome, tried: false, answer: None, failure: Some(why) })
}

fn held(seconds: f64) -> Outcome {
    Outcome::Waits(Waiting { seconds: seconds.max(0.1), tried: false, answer: None, failure: None })
}

/// Another try, unless there have been enough. A test is tried once.
fn again(told: &ClaimedDelivery, status: Option<u16>, why: &'static str, wait: Option<Duration>) -> Outcome {
    let tried = usize::try_from(told.attempts).unwrap_or_default();
    let pause = PAUSES.get(tried).filter(|_| told.kind != Kind::Test.name());
    let Some(pause) = pause else { return ended(FAILED, status, Some(why)) };
    // Not all at once, when a destination is there again.
    let seconds = f64::from(*pause) * (0.9 + rand::random::<f64>() / 5.0);
    let seconds = wait.map_or(seconds, |wait| seconds.max(wait.as_secs_f64()));
    let answer = Some(status.and_then(|status| i16::try_from(status).ok()));
    Outcome::Waits(Waiting { seconds, tried: true, answer, failure: Some(Some(why)) })
}
