//! Matchmaking: requesting a pairing by rules and number of players, reading the request, withdrawing it.

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
use crate::lobby::time_control_request::TimeControlRequest;
use crate::matchmaking::pairing_body::{PairingBody, PairingListBody, PairingSummaryBody};
use crate::rules::rule_request::RuleSetRequest;

/// A request to be paired with players who request the same match.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RequestPairingRequest {
    /// Number of players, yourself included.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    size: i32,
    /// The rules; default: the preset `yaniv`.
    #[serde(default)]
    #[schema(required = false)]
    rules: RuleSetRequest,
    /// The time control; default: a bank of 72 hours.
    #[serde(default, skip_serializing_if = "TimeControlRequest::is_default")]
    #[schema(required = false)]
    time_control: TimeControlRequest,
    /// Whether the match counts for ratings. Requires exactly the rules of a preset; people with claimed accounts are
    /// paired with each other, bots with bots.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    rated: bool,
    /// Your client seed, which is part of every shuffle: printable ASCII without a comma; default empty. To choose it
    /// after seeing the `commitment`, send the request without it, then again with both.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("my lucky number is 7"))]
    client_seed: String,
    /// The `commitment` of your waiting request, if you want to change that one only. If it no longer waits, this
    /// request is refused instead of waiting for another match.
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
/// When enough players have requested the same rules and number of players, the match is created and started; no player
/// needs to be online. Seats are drawn. Repeating a waiting request returns the same request; the newest `client_seed`
/// counts. Requests expire after 14 days.
#[operation(
    post "/v1/pairings",
    tag = "pairing",
    example = json!({"size": 2, "rules": {"preset": "yaniv"}}),
    answer = "The request: it waits, or you are paired.",
    problems(TooManyPairings, TooManyPairingsToday, TooManyRunningMatches, AlreadyPaired, RatedNotAllowed, BadRules, NotRatable),
)]
pub(crate) async fn request_pairing(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    key: KeyHeader,
    body: JsonBody<RequestPairingRequest>,
) -> ApiResult<CreatedAt<PairingBody>> {
    let request = body.0;
    let key = key.of("requestPairing", "", &request)?;
    let wish = NewMatch {
        rated: request.rated,
        ..new_match(request.size, &request.rules, &request.time_control, true)?
    };
    let answer =
        services.request_pairing(caller.account, wish, request.client_seed, request.commitment, key).await?;
    let (location, replayed) = (format!("/v1/pairings/{}", answer.pairing.id), answer.replayed);
    Ok(CreatedAt { location, replayed, body: PairingBody::from(answer) })
}

/// List your waiting requests.
///
/// Requests that were paired are in the list of your matches.
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
/// Its status, and the match once you are paired. Poll it with If-None-Match.
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

/// Withdraw a request to be paired.
///
/// It no longer waits. Withdrawing again changes nothing: you get the same answer.
#[operation(
    post "/v1/pairings/{pairing_id}/withdraw",
    tag = "pairing",
    answer = "The request, withdrawn.",
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
