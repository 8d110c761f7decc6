//! What was played: rounds that are over, and the record that anybody can check.

use std::borrow::Cow;

use actix_web::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use yaniv_app::Services;
use yaniv_model::ids::MatchId;

use crate::history::fairness_body::FairnessBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::Caller;
use crate::kernel::json::NoQuery;
use crate::kernel::params::MatchPath;
use crate::kernel::problem::{Problem, ProblemCode};
use crate::kernel::responses::tagged;
use crate::match_view::round_body::{RoundBody, RoundListBody};

/// A record: one JSON object of the format `yaniv-record/1` (docs/rules.md, section 12). A file, with nulls and maps of
/// its own; the fields are those of the format, not of this document.
struct RecordBody;

impl PartialSchema for RecordBody {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .description(Some(
                "A record: one JSON object of the format `yaniv-record/1` (docs/rules.md, section 12). A file, with \
                 nulls and maps of its own; the fields are those of the format, not of this document.",
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

/// List the rounds that are over.
///
/// With everything open: hands, points, scores, totals.
#[utoipa::path(
    operation_id = "listRounds",
    tag = "records",
    security(("access_token" = [])),
    params(MatchPath),
    responses(
        (status = 200, description = "The rounds, oldest first.", body = RoundListBody,
            headers(("ETag" = String, description = "Tag of the list, for If-None-Match."))),
        (status = 304, description = "The list is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}/rounds")]
pub(crate) async fn list_rounds(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let rounds = services.rounds(caller.0, path.match_id).await?;
    let body = RoundListBody { server_time: None, items: rounds.iter().map(RoundBody::from).collect() };
    tagged(&request, &body, services.now())
}

/// Show what proves the shuffles.
///
/// The commitment, the client seeds, and the seeds of the rounds that are over: SHA-256 of each round's seed is the seed of
/// the round before, and of the first the commitment. docs/fairness.md says how the cards follow from them, with test
/// vectors.
#[utoipa::path(
    operation_id = "getFairness",
    tag = "records",
    security(("access_token" = [])),
    params(MatchPath),
    responses(
        (status = 200, description = "Commitment and seeds.", body = FairnessBody,
            headers(("ETag" = String, description = "Tag of the answer, for If-None-Match."))),
        (status = 304, description = "It is as your tag says."),
    )
)]
#[get("/v1/matches/{match_id}/fairness")]
pub(crate) async fn get_fairness(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let fairness = services.fairness(caller.0, path.match_id).await?;
    tagged(&request, &FairnessBody::from(fairness), services.now())
}

/// Export the record in its compact form.
///
/// The same as `getRecord` answers, as text: a line for each thing, about a third of the size, good to read and to send to somebody.
/// Its format is `yaniv-text/1`, described in docs/records.md; `yaniv verify` takes it, `yaniv record --json` makes the other form of it.
#[utoipa::path(
    operation_id = "getRecordText",
    tag = "records",
    security(("access_token" = [])),
    params(MatchPath),
    responses(
        (status = 200, description = "The record, a text file.", body = String, content_type = "text/plain; charset=utf-8"),
        (status = 409, description = "`match_not_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/matches/{match_id}/record/text")]
pub(crate) async fn get_record_text(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let record = services.record(caller.0, path.match_id).await?;
    Ok(file("text/plain; charset=utf-8", path.match_id, "txt", record.to_text().into_bytes()))
}

/// Export the record.
///
/// The file from which every card of the match can be computed again and every score checked: rules, commitment,
/// players with their client seeds, and the rounds with their seeds. Of the round in play it holds what you know.
/// It is a file, with nulls where an option is off; its format is `yaniv-record/1`, described in docs/rules.md.
#[utoipa::path(
    operation_id = "getRecord",
    tag = "records",
    security(("access_token" = [])),
    params(MatchPath),
    responses(
        (status = 200, description = "The record, a JSON file.", body = RecordBody, content_type = "application/vnd.yaniv.record+json"),
        (status = 409, description = "`match_not_started`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/matches/{match_id}/record")]
pub(crate) async fn get_record(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let record = services.record(caller.0, path.match_id).await?;
    let json = serde_json::to_vec(&record).map_err(|_| ApiError::plain(ProblemCode::Internal))?;
    Ok(file("application/vnd.yaniv.record+json", path.match_id, "json", json))
}

/// A record as a file, which the client is to keep.
fn file(media: &'static str, id: MatchId, ending: &str, content: Vec<u8>) -> HttpResponse {
    HttpResponse::Ok()
        .insert_header((CONTENT_TYPE, media))
        .insert_header((CACHE_CONTROL, "private, no-cache"))
        .insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"yaniv-{id}.{ending}\"")))
        .body(content)
}
