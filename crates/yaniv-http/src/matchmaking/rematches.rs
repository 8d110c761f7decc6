//! The rematch of a match that is over: offered by one of its players, accepted by the others, as a challenge.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, KeyHeader};
use crate::kernel::json::{JsonBody, NoQuery};
use crate::kernel::params::{IdempotencyHeader, MatchPath};
use crate::kernel::problem::Problem;
use crate::kernel::responses::tagged;
use crate::matchmaking::challenge_body::ChallengeBody;
use crate::matchmaking::challenges::challenged;

/// What a player brings to a rematch.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferRematchRequest {
    /// Your part of every shuffle: printable ASCII without a comma.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("blue"))]
    client_seed: String,
}

/// Offer a rematch, or accept the one that is offered.
///
/// A challenge to all who played, by the same rules; seats are drawn. If another player has offered one, you accept that:
/// two who ask at once are in one match. A match has one rematch. Decline an offer by `declineChallenge`.
#[utoipa::path(
    operation_id = "offerRematch",
    tag = "challenges",
    security(("access_token" = [])),
    params(MatchPath, IdempotencyHeader),
    request_body(content = OfferRematchRequest, example = json!({"client_seed": "blue"})),
    responses(
        (status = 201, description = "The challenge; if you were the last to accept, with its match.", body = ChallengeBody,
            headers(("Location" = String, description = "Path of the challenge."))),
        (status = 409, description = "`match_not_over`, `too_few_players`, `too_many_challenges`, `challenge_over`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[post("/v1/matches/{match_id}/rematch")]
pub(crate) async fn offer_rematch(
    services: Data<Services>,
    caller: Caller,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<OfferRematchRequest>,
) -> Result<HttpResponse, ApiError> {
    let key = key.of("offerRematch", &path.match_id.to_string(), &body.0)?;
    challenged(services.offer_rematch(caller.0, path.match_id, body.0.client_seed, key).await?)
}

/// Show the rematch of a match.
///
/// The one that everybody has accepted, otherwise the offer that is open, otherwise the last one. Poll it with If-None-Match.
#[utoipa::path(
    operation_id = "getRematch",
    tag = "challenges",
    security(("access_token" = [])),
    params(MatchPath),
    responses(
        (status = 200, description = "The challenge.", body = ChallengeBody,
            headers(("ETag" = String, description = "Tag of the answer, for If-None-Match."))),
        (status = 304, description = "It is as your tag says."),
        (status = 404, description = "`challenge_not_found`: nobody has offered one.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/matches/{match_id}/rematch")]
pub(crate) async fn get_rematch(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    path: MatchPath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let rematch = services.rematch(caller.0, path.match_id).await?;
    tagged(&request, &ChallengeBody::from(rematch), services.now())
}
