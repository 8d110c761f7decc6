//! Operations on friends.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::relations_body::FriendListBody;
use crate::kernel::extract::{Account, Auth, Read, Reads, Writes};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{PageQuery, UsernamePath, checked_page};
use crate::kernel::responses::{ApiResult, NoContent, Tagged};

/// Send or accept a friend request.
///
/// Two accounts that have sent each other a request are friends. A repeated request changes nothing.
#[operation(
    put "/v1/friends/{username}",
    tag = "people",
    answer = "The friend request is sent, or the account is your friend.",
    problems(OwnAccount, HouseBotNotAllowed),
)]
pub(crate) async fn add_friend(
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
/// Also withdraws your friend request, or declines theirs. Changes nothing if there is none.
#[operation(
    delete "/v1/friends/{username}",
    tag = "people",
    answer = "There is no friendship and no request.",
    problems(OwnAccount),
)]
pub(crate) async fn remove_friend(
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
/// Your friends and open friend requests of either side, sorted by username.
#[operation(
    get "/v1/friends",
    tag = "people",
    answer = "A page of friends and friend requests.",
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
