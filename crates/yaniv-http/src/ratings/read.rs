//! Ratings, their changes, and leaderboards.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::{NoQuery, Queried};
use crate::kernel::params::{UsernamePath, check_range, checked_page};
use crate::kernel::responses::{ApiResult, Tagged};
use crate::ratings::preset_path::PresetPath;
use crate::ratings::rating_body::{LeaderboardBody, RatingChangeListBody, RatingListBody};

/// Which page of the changes to list.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RatingChangesQuery {
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Which leaderboard, and which page of it.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LeaderboardQuery {
    /// `true`: the leaderboard of bots; default: that of people.
    #[param(required = false, nullable = false)]
    bots: Option<bool>,
    /// Page size, 1 to 100; 50 if left out.
    #[param(required = false, nullable = false, minimum = 1, maximum = 100)]
    limit: Option<i32>,
    /// `next_cursor` of the previous page; left out for the first.
    #[param(required = false, nullable = false, max_length = 100)]
    cursor: Option<String>,
}

/// Number of neighbours.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct NeighboursQuery {
    /// Maximum number of players before, and after, 1 to 49; default 5.
    #[param(required = false, nullable = false, minimum = 1, maximum = 49)]
    limit: Option<i32>,
}

/// List a player's ratings.
///
/// One for each preset of which they have finished a rated match; visible to all accounts. Updated within a second of
/// the end of a match. docs/ratings.md explains the computation.
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

/// List the changes of a player's rating.
///
/// Their rated matches of a preset, the newest first, with the rating before and after each.
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
/// The best-rated players of a preset, from the top down; people and bots have separate leaderboards. Players with a
/// provisional rating, or without a rated match in the last 180 days, are not listed. Equal ratings share a rank.
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
/// The player, with those just before and just after them, on the leaderboard of people or of bots, according to the
/// player. If the player is not listed, `items` is empty. Continue with `next_cursor` and `listLeaderboard`.
#[operation(
    get "/v1/leaderboards/{preset}/around/{username}",
    tag = "ratings",
    answer = "A part of the leaderboard.",
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
