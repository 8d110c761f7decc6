//! All records of an account as JSON lines, streamed while they are generated.

use actix_web::get;
use actix_web::web::{Bytes, Data};
use futures_util::stream::try_unfold;
use serde::Deserialize;
use utoipa::IntoParams;
use uuid::Uuid;
use yaniv_app::Services;
use yaniv_app::history::record_export::RecordStream;
use yaniv_engine::Record;
use yaniv_http_macros::operation;
use yaniv_model::ids::MatchId;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Downloads, Read};
use crate::kernel::json::Queried;
use crate::kernel::responses::{ApiResult, Download, Media, print};

/// Records, one JSON object per line.
pub(crate) enum RecordLines {}

impl Media for RecordLines {
    const TYPE: &'static str = "application/x-ndjson";
}

/// Where the download begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecordStreamQuery {
    /// To resume an interrupted download: the `match_id` of its last complete line. Not for updates: newer records may
    /// sort before that line, as the order is that of the identifiers.
    #[param(required = false, nullable = false, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) after: Option<Uuid>,
}

/// Stream your records.
///
/// The records of all started matches in which you have a seat, oldest first. Each line is a JSON record in the format
/// `yaniv-record/1` (docs/records.md), as returned by `getRecord`. The file is streamed while it is generated; a
/// complete line ends with a line break. If the connection is cut, continue with the `match_id` of the last complete
/// line in `after`. Sandboxes are left out. `yaniv verify` checks such a file.
#[operation(
    get "/v1/records",
    tag = "records",
    answer = "The records, one JSON object per line; there may be none.",
)]
pub(crate) async fn stream_records(
    services: Data<Services>,
    caller: Auth<Read, Downloads>,
    query: Queried<RecordStreamQuery>,
) -> ApiResult<Download<RecordLines, String>> {
    let mut records = services.records(caller.access, query.0.after.map(MatchId));
    // Fetch the first record before the response begins: until then an error can still be a problem response.
    let first = match records.next().await? {
        Some(record) => Some(line(&record)?),
        None => None,
    };
    let rest = try_unfold(first.map(|first| (records, Some(first))), step);
    Ok(Download::streamed_file("yaniv-records.ndjson", rest))
}

/// State of the response stream: the remaining records, and the first line if not yet sent.
type Sending = (RecordStream, Option<Bytes>);

/// The next line, and the state after it. After the response has begun, an error closes the connection: the client sees
/// an incomplete file.
async fn step(sending: Option<Sending>) -> std::io::Result<Option<(Bytes, Option<Sending>)>> {
    let Some((mut records, ready)) = sending else { return Ok(None) };
    if let Some(line) = ready {
        return Ok(Some((line, Some((records, None)))));
    }
    let broken_off = |error: ApiError| std::io::Error::other(error.to_string());
    let record = records.next().await.map_err(|error| broken_off(error.into()))?;
    let next = record.map(|record| line(&record)).transpose().map_err(broken_off)?;
    Ok(next.map(|line| (line, Some((records, None)))))
}

fn line(record: &Record) -> Result<Bytes, ApiError> {
    Ok(Bytes::from(print(record)? + "\n"))
}
