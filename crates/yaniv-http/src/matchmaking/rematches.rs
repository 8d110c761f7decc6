//! The rematch of a finished match: a challenge that one of its players makes to the others.

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

/// Offers or accepts a rematch.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferRematchRequest {
    /// Your client seed, which is part of every shuffle: printable ASCII without a comma; default empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schema(required = false, max_length = 64, pattern = "^[ -+\\--~]*$", examples("blue"))]
    client_seed: String,
}

/// Offer a rematch, or accept an offered one.
///
/// A challenge to all players of the match, with the same rules, time control and rating; seats are drawn. The new match
/// is private, and never a sandbox. If another player has already offered
/// one, you accept it, so simultaneous offers lead to one match. A match has at most one rematch. Decline an offer with
/// `declineChallenge`.
#[operation(
    post "/v1/matches/{match_id}/offer-rematch",
    tag = "challenges",
    example = json!({"client_seed": "blue"}),
    answer = "The challenge; if you were the last to accept, with its match.",
    problems(MatchNotOver, TooFewPlayers, TooManyChallenges, TooManyChallengesToday, TooManyRunningMatches, ChallengeOver),
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
/// The accepted rematch, otherwise the open offer, otherwise the last offer. Poll it with If-None-Match.
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
