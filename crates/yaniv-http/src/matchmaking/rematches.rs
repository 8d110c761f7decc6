//! The rematch of a match that is over: offered by one of its players, accepted by the others, as a challenge.

use actix_web::web::Data;
use actix_web::{get, post};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoQuery};
use crate::kernel::params::MatchPath;
use crate::kernel::responses::{ApiResult, CreatedAt, Tagged};
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
#[operation(
    post "/v1/matches/{match_id}/rematch",
    tag = "challenges",
    example = json!({"client_seed": "blue"}),
    answer = "The challenge; if you were the last to accept, with its match.",
    problems(MatchNotOver, TooFewPlayers, TooManyChallenges, ChallengeOver),
)]
pub(crate) async fn offer_rematch(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    key: KeyHeader,
    body: JsonBody<OfferRematchRequest>,
) -> ApiResult<CreatedAt<ChallengeBody>> {
    let key = key.of("offerRematch", &path.match_id.to_string(), &body.0)?;
    let answer = services.offer_rematch(caller.account, path.match_id, body.0.client_seed, key).await?;
    Ok(challenged(answer))
}

/// Show the rematch of a match.
///
/// The one that everybody has accepted, otherwise the offer that is open, otherwise the last one. Poll it with If-None-Match.
#[operation(
    get "/v1/matches/{match_id}/rematch",
    tag = "challenges",
    answer = "The challenge.",
    problems(ChallengeNotFound),
)]
pub(crate) async fn get_rematch(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    _: NoQuery,
) -> ApiResult<Tagged<ChallengeBody>> {
    let rematch = services.rematch(caller.account, path.match_id).await?;
    Ok(Tagged::new(ChallengeBody::from(rematch), services.now()))
}
