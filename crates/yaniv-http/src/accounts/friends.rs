//! Friends: people whom somebody wants to find again.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::relations_body::FriendListBody;
use crate::kernel::extract::{Account, Auth, Read, Reads, Writes};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{PageQuery, UsernamePath, checked_page};
use crate::kernel::responses::{ApiResult, NoContent, Tagged};

/// Befriend somebody.
///
/// Asks them, or accepts what they have asked: two who have asked each other are friends. Asked again, nothing changes.
#[operation(
    put "/v1/friends/{username}",
    tag = "people",
    answer = "They are asked, or your friend.",
    problems(Yourself, HouseBot),
)]
pub(crate) async fn befriend_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: UsernamePath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.befriend(caller.account, &path.username).await?;
    Ok(NoContent::default())
}

/// End a friendship.
///
/// Or take your request back, or decline theirs. Where there is none, nothing changes.
#[operation(
    delete "/v1/friends/{username}",
    tag = "people",
    answer = "There is nothing between you.",
    problems(Yourself),
)]
pub(crate) async fn unfriend_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: UsernamePath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.unfriend(caller.account, &path.username).await?;
    Ok(NoContent::default())
}

/// List your friends.
///
/// With those whom you have asked and those who ask you, by name.
#[operation(
    get "/v1/friends",
    tag = "people",
    answer = "A page of them.",
)]
pub(crate) async fn list_friends(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<PageQuery>,
) -> ApiResult<Tagged<FriendListBody>> {
    let PageQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.friends(caller.account, cursor.as_deref(), limit).await?;
    Ok(Tagged::new(FriendListBody::from(page), services.now()))
}
