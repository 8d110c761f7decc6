//! Blocks: people whom somebody does not want to meet.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::relations_body::BlockListBody;
use crate::kernel::extract::{Account, Auth, Read, Reads, Writes};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{PageQuery, UsernamePath, checked_page};
use crate::kernel::responses::{ApiResult, NoContent, Tagged};

/// Block somebody.
///
/// From now on you do not meet: neither can join a match in which the other has a seat, and you are not paired. Nobody tells them.
/// A friendship ends. Matches that you are in together go on; if you wait to be paired in one group, your request is taken
/// back when the group is whole. Blocked again, nothing changes.
#[operation(
    put "/v1/blocks/{username}",
    tag = "people",
    answer = "They are blocked.",
    problems(Yourself),
)]
pub(crate) async fn block_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: UsernamePath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.block(caller.account, &path.username).await?;
    Ok(NoContent::default())
}

/// Take a block back.
///
/// Where there is none, nothing changes.
#[operation(
    delete "/v1/blocks/{username}",
    tag = "people",
    answer = "They are not blocked by you.",
    problems(Yourself),
)]
pub(crate) async fn unblock_account(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    path: UsernamePath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.unblock(caller.account, &path.username).await?;
    Ok(NoContent::default())
}

/// List whom you have blocked.
///
/// By name. Who has blocked you is told to nobody.
#[operation(
    get "/v1/blocks",
    tag = "people",
    answer = "A page of them.",
)]
pub(crate) async fn list_blocks(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<PageQuery>,
) -> ApiResult<Tagged<BlockListBody>> {
    let PageQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.blocked(caller.account, cursor.as_deref(), limit).await?;
    Ok(Tagged::new(BlockListBody::from(page), services.now()))
}
