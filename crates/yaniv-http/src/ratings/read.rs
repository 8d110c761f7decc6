//! Ratings, how they came about, and leaderboards.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::{NoQuery, Queried};
use crate::kernel::params::{UsernamePath, check_range, checked_page};
use crate::kernel::preset_path::PresetPath;
use crate::kernel::responses::{ApiResult, Tagged};
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
#[operation(
    get "/v1/profiles/{username}/ratings",
    tag = "ratings",
    answer = "The ratings.",
    problems(AccountNotFound),
)]
pub(crate) async fn list_ratings(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: UsernamePath,
    _: NoQuery,
) -> ApiResult<Tagged<RatingListBody>> {
    let ratings = services.ratings(&path.username).await?;
    Ok(Tagged::new(RatingListBody::from(ratings), services.now()))
}

/// List what changed somebody's rating.
///
/// Their rated matches by a preset, the newest first, with the rating before and after each.
#[operation(
    get "/v1/profiles/{username}/ratings/{preset}/changes",
    tag = "ratings",
    answer = "A page of changes.",
    problems(AccountNotFound, PresetNotFound),
)]
pub(crate) async fn list_rating_changes(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    (path, of): (UsernamePath, PresetPath),
    query: Queried<RatingChangesQuery>,
) -> ApiResult<Tagged<RatingChangeListBody>> {
    let RatingChangesQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let cursor = cursor.as_deref();
    let page = services.rating_changes(caller.account, &path.username, of.preset, cursor, limit).await?;
    Ok(Tagged::new(RatingChangeListBody::from(page), services.now()))
}

/// Show a leaderboard.
///
/// Those with the best ratings by a preset, from the top down; people and bots have leaderboards of their own. Who is
/// provisional is not on it, nor is who has not played a rated match for 180 days. Who has the same rating shares the rank.
#[operation(
    get "/v1/leaderboards/{preset}",
    tag = "ratings",
    answer = "A page of the leaderboard.",
    problems(PresetNotFound),
)]
pub(crate) async fn list_leaderboard(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    path: PresetPath,
    query: Queried<LeaderboardQuery>,
) -> ApiResult<Tagged<LeaderboardBody>> {
    let LeaderboardQuery { bots, limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.leaderboard(path.preset, bots.unwrap_or(false), cursor.as_deref(), limit).await?;
    Ok(Tagged::new(LeaderboardBody::from(page), services.now()))
}

/// Show a player's neighbours on a leaderboard.
///
/// The player with those just before and just after them, on the leaderboard of people or of bots, whichever they belong to.
/// Of who is not on it there is nothing: `items` is empty. `next_cursor` goes on with `listLeaderboard`.
#[operation(
    get "/v1/leaderboards/{preset}/around/{username}",
    tag = "ratings",
    answer = "That part of the leaderboard.",
    problems(AccountNotFound, PresetNotFound),
)]
pub(crate) async fn get_leaderboard_neighbours(
    services: Data<Services>,
    _: Auth<Read, Reads>,
    (of, path): (PresetPath, UsernamePath),
    query: Queried<NeighboursQuery>,
) -> ApiResult<Tagged<LeaderboardBody>> {
    let limit = i64::from(check_range("limit", query.0.limit.unwrap_or(5), 1..=49)?);
    let part = services.leaderboard_around(of.preset, &path.username, limit).await?;
    Ok(Tagged::new(LeaderboardBody::from(part), services.now()))
}
