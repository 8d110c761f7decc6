//! Quick pairing: asking for rules and a number of players, looking what has become of it, taking it back.

use actix_web::web::Data;
use actix_web::{get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::lobby::create::NewMatch;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::PairingPath;
use crate::kernel::responses::{ApiResult, CreatedAt, Reply, Tagged};
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
#[operation(
    post "/v1/pairings",
    tag = "pairing",
    example = json!({"size": 2, "rules": {"preset": "yaniv"}}),
    answer = "The request: it waits, or you are paired.",
    problems(TooManyPairings, AlreadyPaired, RatedNotAllowed, BadRules, NotRatable),
)]
pub(crate) async fn request_pairing(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    key: KeyHeader,
    body: JsonBody<RequestPairingRequest>,
) -> ApiResult<CreatedAt<PairingBody>> {
    let request = body.0;
    let key = key.of("requestPairing", "", &request)?;
    let wish =
        NewMatch { rated: request.rated, ..new_match(request.size, &request.rules, &request.pace, true)? };
    let answer =
        services.request_pairing(caller.account, wish, request.client_seed, request.commitment, key).await?;
    let (location, replayed) = (format!("/v1/pairings/{}", answer.pairing.id), answer.replayed);
    Ok(CreatedAt { location, replayed, body: PairingBody::from(answer) })
}

/// List your requests that wait.
///
/// Those that have been paired are among your matches.
#[operation(
    get "/v1/pairings",
    tag = "pairing",
    answer = "The requests, newest first.",
)]
pub(crate) async fn list_pairings(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    _: NoQuery,
) -> ApiResult<Tagged<PairingListBody>> {
    let waiting = services.waiting_pairings(caller.account).await?;
    let items = waiting.iter().map(PairingSummaryBody::from).collect();
    Ok(Tagged::new(PairingListBody { server_time: None, items }, services.now()))
}

/// Show a request to be paired.
///
/// Whether it waits, or which match has come of it. Poll it with If-None-Match.
#[operation(
    get "/v1/pairings/{pairing_id}",
    tag = "pairing",
    answer = "The request.",
)]
pub(crate) async fn get_pairing(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: PairingPath,
    _: NoQuery,
) -> ApiResult<Tagged<PairingBody>> {
    let pairing = services.pairing(caller.account, path.pairing_id).await?;
    Ok(Tagged::new(PairingBody::from(pairing), services.now()))
}

/// Take back a request to be paired.
///
/// It no longer waits. Taken back again, it stays as it is: the answer is the same.
#[operation(
    post "/v1/pairings/{pairing_id}/withdraw",
    tag = "pairing",
    answer = "The request, taken back.",
    problems(AlreadyPaired),
)]
pub(crate) async fn withdraw_pairing(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: PairingPath,
    _: NoBody,
) -> ApiResult<Reply<PairingBody>> {
    let answer = services.withdraw_pairing(caller.account, path.pairing_id).await?;
    Ok(Reply::of_write(answer.replayed, PairingBody::from(answer)))
}
