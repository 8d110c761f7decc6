//! Quick pairing: asking for rules and a number of players, looking what has become of it, taking it back.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::create::NewMatch;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, KeyHeader};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::{IdempotencyHeader, PairingPath};
use crate::kernel::problem::Problem;
use crate::kernel::responses::{made, tagged};
use crate::lobby::create_request::new_match;
use crate::lobby::time_control_request::PaceRequest;
use crate::matchmaking::pairing_body::{PairingBody, PairingListBody, PairingSummaryBody};
use crate::rules::rule_request::RuleSetRequest;

/// Whom you wish to be paired with: people who wish the same.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestPairingRequest {
    /// Number of players, yourself included.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    size: i32,
    /// The rules; left out, those of the preset `yaniv`.
    #[serde(default)]
    #[schema(required = false)]
    rules: RuleSetRequest,
    /// The pace; left out, the usual one.
    #[serde(default, skip_serializing_if = "PaceRequest::is_default")]
    #[schema(required = false)]
    pace: PaceRequest,
    /// Whether the match counts for the ratings of its players. Then the rules are exactly a preset, and you are
    /// paired with people who have accounts of their own; a bot, with bots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    rated: bool,
    /// Your part of every shuffle: printable ASCII without a comma. To choose it after you have seen the `commitment`, ask
    /// without it, and then again with both.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("my lucky number is 7"))]
    client_seed: String,
    /// The `commitment` of your request that waits, if you mean no other: when it no longer waits, you are told so, and do
    /// not wait for another match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        pattern = "^[0-9a-f]{64}$",
        examples("9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    )]
    commitment: Option<String>,
}

/// Ask to be paired.
///
/// You are seated when enough people ask for the same rules and number of players: then the match is made and started, and
/// nobody has to be online. Seats are drawn. Asking again for what you wait for already is the same request; with another
/// `client_seed` the newest one counts. What nobody answers in 14 days expires.
#[utoipa::path(
    operation_id = "requestPairing",
    tag = "pairing",
    security(("access_token" = [])),
    params(IdempotencyHeader),
    request_body(content = RequestPairingRequest, example = json!({"size": 2, "rules": {"preset": "yaniv"}})),
    responses(
        (status = 201, description = "The request: it waits, or you are paired.", body = PairingBody,
            headers(("Location" = String, description = "Path of the request."))),
        (status = 409, description = "`too_many_pairings`, `already_paired`, `rated_not_allowed`.", body = Problem, content_type = "application/problem+json"),
        (status = 422, description = "`bad_rules`, `not_ratable`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/pairings")]
pub(crate) async fn request_pairing(
    services: Data<Services>,
    caller: Caller,
    key: KeyHeader,
    body: JsonBody<RequestPairingRequest>,
) -> Result<HttpResponse, ApiError> {
    let request = body.0;
    let key = key.of("requestPairing", "", &request)?;
    let wish =
        NewMatch { rated: request.rated, ..new_match(request.size, &request.rules, &request.pace, true)? };
    let answer =
        services.request_pairing(caller.0, wish, request.client_seed, request.commitment, key).await?;
    let (location, replayed) = (format!("/v1/pairings/{}", answer.pairing.id), answer.replayed);
    made(StatusCode::CREATED, Some(location), replayed, &PairingBody::from(answer))
}

/// List your requests that wait.
///
/// Those that have been paired are among your matches.
#[utoipa::path(
    operation_id = "listPairings",
    tag = "pairing",
    security(("access_token" = [])),
    responses(
        (status = 200, description = "The requests, newest first.", body = PairingListBody,
            headers(("ETag" = String, description = "Tag of the list, for If-None-Match."))),
        (status = 304, description = "The list is as your tag says."),
    )
)]
#[get("/v1/pairings")]
pub(crate) async fn list_pairings(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let waiting = services.waiting_pairings(caller.0).await?;
    let items = waiting.iter().map(PairingSummaryBody::from).collect();
    tagged(&request, &PairingListBody { server_time: None, items }, services.now())
}

/// Show a request to be paired.
///
/// Whether it waits, or which match has come of it. Poll it with If-None-Match.
#[utoipa::path(
    operation_id = "getPairing",
    tag = "pairing",
    security(("access_token" = [])),
    params(PairingPath),
    responses(
        (status = 200, description = "The request.", body = PairingBody,
            headers(("ETag" = String, description = "Tag of the answer, for If-None-Match."))),
        (status = 304, description = "It is as your tag says."),
    )
)]
#[get("/v1/pairings/{pairing_id}")]
pub(crate) async fn get_pairing(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: PairingPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let pairing = services.pairing(caller.0, path.pairing_id).await?;
    tagged(&request, &PairingBody::from(pairing), services.now())
}

/// Take back a request to be paired.
///
/// It no longer waits. Taken back again, it stays as it is: the answer is the same.
#[utoipa::path(
    operation_id = "withdrawPairing",
    tag = "pairing",
    security(("access_token" = [])),
    params(PairingPath),
    responses(
        (status = 200, description = "The request, taken back.", body = PairingBody),
        (status = 409, description = "`already_paired`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/pairings/{pairing_id}/withdraw")]
pub(crate) async fn withdraw_pairing(
    services: Data<Services>,
    caller: Caller,
    path: PairingPath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    let answer = services.withdraw_pairing(caller.0, path.pairing_id).await?;
    made(StatusCode::OK, None, answer.replayed, &PairingBody::from(answer))
}
