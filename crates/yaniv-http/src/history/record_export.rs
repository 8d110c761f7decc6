//! The records of everything that one has played, a line each, sent as they are put together.

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

/// Records, one JSON object a line.
pub(crate) enum RecordLines {}

impl Media for RecordLines {
    const TYPE: &'static str = "application/x-ndjson";
}

/// Where to start.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RecordStreamQuery {
    /// To go on with a download that was cut: the `match_id` of its last whole line. What has come since a whole download is not
    /// always behind its last line: the order is that of the identifiers.
    #[param(required = false, nullable = false, example = "0193aa00-0000-7000-8000-000000000001")]
    pub(crate) after: Option<Uuid>,
}

/// Stream your records.
///
/// The records of all matches in which you have a seat and that have started, oldest first: a line each, JSON of the format
/// `yaniv-record/1` (docs/records.md), as `getRecord` answers it. They are sent while they are put together: what is whole ends with a
/// line break. If the connection is cut, go on with the `match_id` of the last whole line in `after`. Sandboxes are left out. `yaniv
/// verify` checks such a file.
#[operation(
    get "/v1/records",
    tag = "records",
    answer = "The records, perhaps none: a JSON object on each line.",
)]
pub(crate) async fn stream_records(
    services: Data<Services>,
    caller: Auth<Read, Downloads>,
    query: Queried<RecordStreamQuery>,
) -> ApiResult<Download<RecordLines, String>> {
    let mut records = services.records(caller.access, query.0.after.map(MatchId));
    // The first before anything is sent: what is wrong then can still be said.
    let first = match records.next().await? {
        Some(record) => Some(line(&record)?),
        None => None,
    };
    let rest = try_unfold(first.map(|first| (records, Some(first))), step);
    Ok(Download::streamed_file("yaniv-records.ndjson", rest))
}

/// What is to be sent: what was put together before, then what is left.
type Sending = (RecordStream, Option<Bytes>);

/// The next line, and what is behind it. What is sent already cannot be taken back: if something goes wrong, the connection is closed,
/// and the client sees that the last line is not whole.
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
