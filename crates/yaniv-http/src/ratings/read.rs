//! Ratings, how they came about, and leaderboards.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, get};
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;

use crate::kernel::error::ApiError;
use crate::kernel::extract::Caller;
use crate::kernel::json::{NoQuery, Queried};
use crate::kernel::params::{UsernamePath, check_range, checked_page};
use crate::kernel::preset_path::PresetPath;
use crate::kernel::problem::Problem;
use crate::kernel::responses::tagged;
use crate::ratings::rating_body::{LeaderboardBody, RatingChangeListBody, RatingListBody};

/// Which changes to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RatingChangesQuery {
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Which leaderboard, and what of it.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LeaderboardQuery {
    /// The one of bots; left out, the one of people.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// How many, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the page before.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// How many neighbours.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NeighboursQuery {
    /// How many before, and how many after, 1 to 49; 5 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 49)]
    limit: Option<i32>,
}

/// List somebody's ratings.
///
/// One for each preset by which they have played a rated match that is over. Everybody may see them. They are up to date within a
/// second of the end of a match. How they are worked out is in docs/ratings.md.
#[utoipa::path(
    operation_id = "listRatings",
    tag = "ratings",
    security(("access_token" = [])),
    params(UsernamePath),
    responses(
        (status = 200, description = "The ratings.", body = RatingListBody,
            headers(("ETag" = String, description = "Tag of the list, for If-None-Match."))),
        (status = 304, description = "The list is as your tag says."),
        (status = 404, description = "`account_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/profiles/{username}/ratings")]
pub(crate) async fn list_ratings(
    services: Data<Services>,
    request: HttpRequest,
    _: Caller,
    path: UsernamePath,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let ratings = services.ratings(&path.username).await?;
    tagged(&request, &RatingListBody::from(ratings), services.now())
}

/// List what changed somebody's rating.
///
/// Their rated matches by a preset, the newest first, with the rating before and after each.
#[utoipa::path(
    operation_id = "listRatingChanges",
    tag = "ratings",
    security(("access_token" = [])),
    params(UsernamePath, PresetPath, RatingChangesQuery),
    responses(
        (status = 200, description = "A page of changes.", body = RatingChangeListBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
        (status = 404, description = "`account_not_found`, `preset_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/profiles/{username}/ratings/{preset}/changes")]
pub(crate) async fn list_rating_changes(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    (path, of): (UsernamePath, PresetPath),
    query: Queried<RatingChangesQuery>,
) -> Result<HttpResponse, ApiError> {
    let RatingChangesQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let cursor = cursor.as_deref();
    let page = services.rating_changes(caller.0, &path.username, of.preset, cursor, limit).await?;
    tagged(&request, &RatingChangeListBody::from(page), services.now())
}

/// Show a leaderboard.
///
/// Those with the best ratings by a preset, from the top down; people and bots have leaderboards of their own. Who is
/// provisional is not on it, nor is who has not played a rated match for 180 days. Who has the same rating shares the rank.
#[utoipa::path(
    operation_id = "listLeaderboard",
    tag = "ratings",
    security(("access_token" = [])),
    params(PresetPath, LeaderboardQuery),
    responses(
        (status = 200, description = "A page of the leaderboard.", body = LeaderboardBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
        (status = 404, description = "`preset_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/leaderboards/{preset}")]
pub(crate) async fn list_leaderboard(
    services: Data<Services>,
    request: HttpRequest,
    _: Caller,
    path: PresetPath,
    query: Queried<LeaderboardQuery>,
) -> Result<HttpResponse, ApiError> {
    let LeaderboardQuery { bots, limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.leaderboard(path.preset, bots.unwrap_or(false), cursor.as_deref(), limit).await?;
    tagged(&request, &LeaderboardBody::from(page), services.now())
}

/// Show a player's neighbours on a leaderboard.
///
/// The player with those just before and just after them, on the leaderboard of people or of bots, whichever they belong to.
/// Of who is not on it there is nothing: `items` is empty. `next_cursor` goes on with `listLeaderboard`.
#[utoipa::path(
    operation_id = "getLeaderboardNeighbours",
    tag = "ratings",
    security(("access_token" = [])),
    params(PresetPath, UsernamePath, NeighboursQuery),
    responses(
        (status = 200, description = "That part of the leaderboard.", body = LeaderboardBody,
            headers(("ETag" = String, description = "Tag of the answer, for If-None-Match."))),
        (status = 304, description = "It is as your tag says."),
        (status = 404, description = "`account_not_found`, `preset_not_found`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[get("/v1/leaderboards/{preset}/around/{username}")]
pub(crate) async fn get_leaderboard_neighbours(
    services: Data<Services>,
    request: HttpRequest,
    _: Caller,
    (of, path): (PresetPath, UsernamePath),
    query: Queried<NeighboursQuery>,
) -> Result<HttpResponse, ApiError> {
    let limit = i64::from(check_range("limit", query.0.limit.unwrap_or(5), 1..=49)?);
    let part = services.leaderboard_around(of.preset, &path.username, limit).await?;
    tagged(&request, &LeaderboardBody::from(part), services.now())
}
