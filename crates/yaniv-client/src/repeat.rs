//! Retries with exponential backoff until the answer is final.

use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};
use uuid::Uuid;

use crate::failure::{Attempt, Failure};
use crate::generated::{ByteStream, Error, ResponseValue};

/// The first pause; each is twice as long as the previous, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// How often an `internal` error is retried, as its advice says.
const FAULTS: u32 = 3;

/// Result of a request.
pub(crate) enum Reply<T> {
    Answer(ResponseValue<T>),
    NotModified,
}

/// Retries until the answer is final or the patience ends.
pub(crate) async fn until_final<T>(
    patience: Duration,
    attempt: impl AsyncFn() -> Result<ResponseValue<T>, Error<ByteStream>>,
) -> Result<Reply<T>, Failure> {
    let end = Instant::now() + patience;
    let (mut pause, mut faults) = (FIRST_PAUSE, 0);
    loop {
        let error = match attempt().await {
            Ok(answer) => return Ok(Reply::Answer(answer)),
            Err(error) => error,
        };
        let (failure, after) = match Attempt::of(error).await {
            Attempt::NotModified => return Ok(Reply::NotModified),
            Attempt::Final(failure) => return Err(failure),
            Attempt::Again(failure, after) => (failure, after),
        };
        faults += u32::from(failure.code() == Some("internal"));
        if faults >= FAULTS {
            return Err(failure);
        }
        let wait = after.unwrap_or(pause).max(shortened(pause));
        if Instant::now() + wait > end {
            // Wait until the end, so that a caller who retries at once does not flood the service.
            sleep_until(end).await;
            return Err(match failure {
                Failure::Unanswered(why) => Failure::Unanswered(why),
                said => Failure::Unanswered(said.to_string()),
            });
        }
        sleep(wait).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Random jitter between half the pause and all of it, so that clients do not retry in step.
fn shortened(pause: Duration) -> Duration {
    let [random, ..] = Uuid::new_v4().into_bytes();
    pause / 2 + pause * u32::from(random) / 512
}
