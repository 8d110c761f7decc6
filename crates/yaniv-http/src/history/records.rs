//! Finished rounds, the fairness proof, and records.

use std::borrow::Cow;

use actix_web::get;
use actix_web::web::Data;
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use yaniv_app::Services;
use yaniv_http_macros::operation;
use yaniv_model::ids::MatchId;

use crate::history::fairness_body::FairnessBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::NoQuery;
use crate::kernel::params::MatchPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Download, Media, Tagged};
use crate::match_view::round_body::{RoundBody, RoundListBody};

/// Schema of a record: a free-form object, as the format `yaniv-record/1` defines its fields.
struct RecordBody;

impl PartialSchema for RecordBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "A record: one JSON object of the format `yaniv-record/1` (docs/rules.md, section 12). A file, with \
                 nulls and maps; its fields are defined by the format, not by this document: [JSON \
                 Schema](/docs/record.schema.json).",
            ))
            .additional_properties(Some(AdditionalProperties::FreeForm(true)))
            .into()
    }
}

impl ToSchema for RecordBody {
    fn name() -> Cow<'static, str> {
        "Record".into()
    }
}

/// A record as text.
pub(crate) enum RecordText {}

impl Media for RecordText {
    const TYPE: &'static str = "text/plain; charset=utf-8";
}

/// A record as JSON.
pub(crate) enum RecordJson {}

impl Media for RecordJson {
    const TYPE: &'static str = "application/vnd.yaniv.record+json";
}

/// List finished rounds.
///
/// With all hands, points, scores and totals.
#[operation(
    get "/v1/matches/{match_id}/rounds",
    tag = "records",
    answer = "The rounds, oldest first.",
)]
pub(crate) async fn list_rounds(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    _: NoQuery,
) -> ApiResult<Tagged<RoundListBody>> {
    let rounds = services.rounds(caller.account, path.match_id).await?;
    let body = RoundListBody { server_time: None, items: rounds.iter().map(RoundBody::from).collect() };
    Ok(Tagged::new(body, services.now()))
}

/// Show the proof of the shuffles.
///
/// The commitment, the client seeds, and the seeds of finished rounds. SHA-256 of a round's seed is the seed of the
/// previous round; for round 1, the commitment. docs/fairness.md defines how the cards follow from them, with test
/// vectors.
#[operation(
    get "/v1/matches/{match_id}/fairness",
    tag = "records",
    answer = "The commitment and the seeds.",
)]
pub(crate) async fn get_fairness(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    _: NoQuery,
) -> ApiResult<Tagged<FairnessBody>> {
    let fairness = services.fairness(caller.account, path.match_id).await?;
    Ok(Tagged::new(FairnessBody::from(fairness), services.now()))
}

/// Export the record as text.
///
/// The record of `getRecord` in its compact text form: one item per line, about a third of the size, readable and easy
/// to send. The format `yaniv-text/1` is described in docs/records.md; `yaniv verify` checks it, `yaniv record --json`
/// converts it to JSON.
#[operation(
    get "/v1/matches/{match_id}/record/text",
    tag = "records",
    answer = "The record as a text file.",
    problems(MatchNotStarted),
)]
pub(crate) async fn get_record_text(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    _: NoQuery,
) -> ApiResult<Download<RecordText, String>> {
    let record = services.record(caller.account, path.match_id).await?;
    Ok(Download::file(&file_name(path.match_id, "txt"), record.to_text().into_bytes()))
}

/// Export the record.
///
/// The file from which every card of the match can be recomputed and every score checked: rules, commitment, players
/// with their client seeds, rounds with their seeds. Of the round in play it contains what you know. Unlike responses,
/// it has nulls where an option is off; the format `yaniv-record/1` is described in docs/rules.md.
#[operation(
    get "/v1/matches/{match_id}/record",
    tag = "records",
    answer = "The record as a JSON file.",
    problems(MatchNotStarted),
)]
pub(crate) async fn get_record(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    _: NoQuery,
) -> ApiResult<Download<RecordJson, RecordBody>> {
    let record = services.record(caller.account, path.match_id).await?;
    let json = serde_json::to_vec(&record).map_err(|_| ApiError::plain(ProblemCode::Internal))?;
    Ok(Download::file(&file_name(path.match_id, "json"), json))
}

fn file_name(id: MatchId, ending: &str) -> String {
    format!("yaniv-{id}.{ending}")
}
