//! Friends: people whom somebody wants to find again.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, delete, get, put};
use yaniv_app::Services;

use crate::accounts::relations_body::FriendListBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, Owner};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{PageQuery, UsernamePath, checked_page};
use crate::kernel::problem::Problem;
use crate::kernel::responses::{done, tagged};

/// Befriend somebody.
///
/// Asks them, or accepts what they have asked: two who have asked each other are friends. Asked again, nothing changes.
#[utoipa::path(
    operation_id = "befriendAccount",
    tag = "people",
    security(("access_token" = ["account"])),
    params(UsernamePath),
    responses(
        (status = 204, description = "They are asked, or your friend."),
        (status = 409, description = "`yourself`, `house_bot`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[put("/v1/friends/{username}")]
pub(crate) async fn befriend_account(
    services: Data<Services>,
    owner: Owner,
    path: UsernamePath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.befriend(owner.0.account, &path.username).await?;
    Ok(done())
}

/// End a friendship.
///
/// Or take your request back, or decline theirs. Where there is none, nothing changes.
#[utoipa::path(
    operation_id = "unfriendAccount",
    tag = "people",
    security(("access_token" = ["account"])),
    params(UsernamePath),
    responses(
        (status = 204, description = "There is nothing between you."),
        (status = 409, description = "`yourself`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[delete("/v1/friends/{username}")]
pub(crate) async fn unfriend_account(
    services: Data<Services>,
    owner: Owner,
    path: UsernamePath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.unfriend(owner.0.account, &path.username).await?;
    Ok(done())
}

/// List your friends.
///
/// With those whom you have asked and those who ask you, by name.
#[utoipa::path(
    operation_id = "listFriends",
    tag = "people",
    security(("access_token" = [])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them.", body = FriendListBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
    )
)]
#[get("/v1/friends")]
pub(crate) async fn list_friends(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    query: Queried<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let PageQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.friends(caller.0, cursor.as_deref(), limit).await?;
    tagged(&request, &FriendListBody::from(page), services.now())
}
