//! Delivery of one notification, one attempt: check that it is still relevant, send, store the result.
//! Claiming is in `dispatcher`, the content in `payload`.

use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_db::notifications::channels::{DeliveryResult, EMAIL, FORMER_EMAIL, WEB_PUSH, channel_note};
use yaniv_db::notifications::deliveries::{
    DELIVERED, DROPPED, Ended, FAILED, Waiting, delivery_drop_all, delivery_end, delivery_wait,
};
use yaniv_db::notifications::delivery_claims::ClaimedDelivery;
use yaniv_outbound::{Answer, Failure};

use crate::notifications::channels::kinds::Kind;
use crate::notifications::channels::quiet_hours::quiet_until;
use crate::notifications::channels::settings::zone;
use crate::notifications::outbox::situation::{Situation, situation};
use crate::{ServiceError, Services};

/// Retry delays after each failure, in seconds: three days in total, following Standard Webhooks.
const PAUSES: [u32; 10] = [5, 60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
/// Delay after the match could not be read, in seconds.
const UNREAD: f64 = 5.0;
/// How long a player counts as present after a read of the match.
const LOOKING: TimeDelta = TimeDelta::seconds(60);

/// Decision on a claimed notification.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// Send it.
    Send,
    /// Drop it, for this reason.
    Drop(&'static str),
    /// Hold it until this time.
    Hold(DateTime<Utc>),
}

/// Health of a destination, as observed by an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndpointHealth {
    /// It responds.
    Prompt,
    /// It does not respond, or not in time.
    Slow,
    /// Not observed.
    Unknown,
}

/// Stored result of an attempt.
#[derive(Clone, Copy, Debug)]
enum Outcome {
    Ended(Ended),
    Waits(Waiting),
}

fn verdict(told: &ClaimedDelivery) -> Verdict {
    if !told.open {
        return Verdict::Drop("channel_closed");
    }
    let kind = kind_of(told);
    let nothing_waits = kind == Kind::Digest && told.waiting == Some(0);
    if !told.holds || nothing_waits || told.now - told.happened_at > kind.lifetime() {
        return Verdict::Drop("outdated");
    }
    if told.immediate || kind.is_fixed() {
        return Verdict::Send;
    }
    if let Some(looked_at) = told.looked_at {
        if looked_at >= told.happened_at {
            return Verdict::Drop("seen");
        }
        // A player who has just read the match may still be present; then another read follows.
        if looked_at + LOOKING > told.now {
            return Verdict::Hold(looked_at + LOOKING);
        }
    }
    let quiet = told.quiet_zone.as_deref().zip(told.quiet_from.zip(told.quiet_to));
    match quiet.and_then(|(name, (from, to))| quiet_until(zone(name), from, to, told.now)) {
        Some(until) => Verdict::Hold(until),
        None => Verdict::Send,
    }
}

fn kind_of(told: &ClaimedDelivery) -> Kind {
    Kind::of(&told.kind).unwrap_or(Kind::Test)
}

impl Services {
    /// Processes a claimed notification.
    pub(crate) async fn deliver(&self, told: ClaimedDelivery, lease: Uuid) -> EndpointHealth {
        let (result, felt, said) = match verdict(&told) {
            Verdict::Drop(why) => (untried(DROPPED, why), EndpointHealth::Unknown, None),
            Verdict::Hold(until) => {
                (held((until - told.now).as_seconds_f64()), EndpointHealth::Unknown, None)
            }
            Verdict::Send => match self.notices.rate.take(told.channel_id, Instant::now()) {
                Some(wait) => (held(wait.as_secs_f64()), EndpointHealth::Unknown, None),
                None => self.send(&told).await,
            },
        };
        // If the result cannot be stored, the notification is sent again after the claim expires, with the
        // same identifier.
        for _ in 0..5 {
            match self.write_down(&told, lease, &result, said).await {
                Ok(()) => break,
                Err(error) => {
                    tracing::warn!(%error, "the result of a delivery could not be stored");
                    tokio::time::sleep(Duration::from_millis(500)).await;
                }
            }
        }
        felt
    }

    async fn send(&self, told: &ClaimedDelivery) -> (Outcome, EndpointHealth, Option<DeliveryResult>) {
        let situation = match self.situation_of(told).await {
            Ok(Some(situation)) => situation,
            Ok(None) => return (untried(DROPPED, "outdated"), EndpointHealth::Unknown, None),
            Err(error) => {
                tracing::warn!(%error, "the match of a notification could not be read");
                return (held(UNREAD), EndpointHealth::Unknown, None);
            }
        };
        let answer = match self.transmit(told, &situation).await {
            Ok(answer) => answer,
            Err((outcome, result)) => return (outcome, EndpointHealth::Unknown, result),
        };
        if let Answer::Status(status @ 500.., _) = answer
            && is_mail(told)
        {
            // The mail server refuses this message for good.
            let failed = ended(FAILED, Some(status), Some("refused"));
            return (failed, EndpointHealth::Prompt, Some(DeliveryResult::Failed));
        }
        self.notices.health.note(&told.host, answer);
        match answer {
            Answer::Status(status @ 200..=299, _) => {
                (ended(DELIVERED, Some(status), None), EndpointHealth::Prompt, Some(DeliveryResult::Well))
            }
            Answer::Status(status, _) if is_gone(told, status) => (
                ended(FAILED, Some(status), Some("gone")),
                EndpointHealth::Prompt,
                Some(DeliveryResult::Gone),
            ),
            Answer::Status(status, wait) => (
                again(told, Some(status), "refused", wait),
                EndpointHealth::Prompt,
                Some(DeliveryResult::Failed),
            ),
            Answer::None(Failure::Timeout) => {
                (again(told, None, "timeout", None), EndpointHealth::Slow, Some(DeliveryResult::Failed))
            }
            Answer::None(Failure::Unreachable) => {
                (again(told, None, "unreachable", None), EndpointHealth::Slow, Some(DeliveryResult::Failed))
            }
        }
    }

    /// Sends it in the format of its channel. Without an attempt, the outcome.
    async fn transmit(
        &self,
        told: &ClaimedDelivery,
        situation: &Situation,
    ) -> Result<Answer, (Outcome, Option<DeliveryResult>)> {
        if is_mail(told) {
            return self.send_email(told, situation).await.map_err(|error| {
                tracing::warn!(%error, "the code of an e-mail could not be stored");
                (held(UNREAD), None)
            });
        }
        match self.notices.post(told, situation) {
            Ok(post) => Ok(self.notices.postman.send(post).await),
            Err(why) => Err((untried(FAILED, why.name()), Some(DeliveryResult::Failed))),
        }
    }

    async fn situation_of(&self, told: &ClaimedDelivery) -> Result<Option<Situation>, ServiceError> {
        situation(&*self.store.connection().await?, told, kind_of(told)).await
    }

    async fn write_down(
        &self,
        told: &ClaimedDelivery,
        lease: Uuid,
        result: &Outcome,
        said: Option<DeliveryResult>,
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
            if said == DeliveryResult::Gone {
                delivery_drop_all(&connection, told.channel_id, "channel_closed").await?;
            }
        }
        Ok(())
    }
}

fn is_mail(told: &ClaimedDelivery) -> bool {
    [EMAIL, FORMER_EMAIL].contains(&told.format.as_str())
}

/// Whether the receiver reports that the channel is gone for good.
///
/// Push services use both 404 and 410. A webhook with 404 may be back after the receiver's next release.
fn is_gone(told: &ClaimedDelivery, status: u16) -> bool {
    status == 410 || (status == 404 && told.format == WEB_PUSH)
}

fn ended(outcome: &'static str, answer: Option<u16>, failure: Option<&'static str>) -> Outcome {
    let answer = answer.and_then(|status| i16::try_from(status).ok());
    Outcome::Ended(Ended { outcome, tried: true, answer, failure })
}

/// Ended without an attempt.
fn untried(outcome: &'static str, why: &'static str) -> Outcome {
    Outcome::Ended(Ended { outcome, tried: false, answer: None, failure: Some(why) })
}

fn held(seconds: f64) -> Outcome {
    Outcome::Waits(Waiting { seconds: seconds.max(0.1), tried: false, answer: None, failure: None })
}

/// Schedules a retry, or ends the delivery after the last one. A test has one attempt.
fn again(told: &ClaimedDelivery, status: Option<u16>, why: &'static str, wait: Option<Duration>) -> Outcome {
    let tried = usize::try_from(told.attempts).unwrap_or_default();
    let pause = PAUSES.get(tried).filter(|_| told.kind != Kind::Test.name());
    let Some(pause) = pause else { return ended(FAILED, status, Some(why)) };
    // Jitter, so that retries to a recovered destination are spread.
    let seconds = f64::from(*pause) * (0.9 + rand::random::<f64>() / 5.0);
    let seconds = wait.map_or(seconds, |wait| seconds.max(wait.as_secs_f64()));
    let answer = Some(status.and_then(|status| i16::try_from(status).ok()));
    Outcome::Waits(Waiting { seconds, tried: true, answer, failure: Some(Some(why)) })
}
