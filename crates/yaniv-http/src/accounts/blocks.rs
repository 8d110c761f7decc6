//! Operations on blocks.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::accounts::relations_body::BlockListBody;
use crate::kernel::extract::{Account, Auth, Read, Reads, Writes};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{PageQuery, UsernamePath, checked_page};
use crate::kernel::responses::{ApiResult, NoContent, Tagged};

/// Block an account.
///
/// Neither of you can join a match in which the other has a seat, and you are not paired. The other player is not
/// notified. A friendship ends. Matches that you share continue; if you wait in the same pairing group, your request is
/// withdrawn when the group is complete. A repeated request changes nothing.
#[operation(
    put "/v1/blocks/{username}",
    tag = "people",
    answer = "The account is blocked.",
    problems(OwnAccount),
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

/// Unblock an account.
///
/// Changes nothing if the account is not blocked.
#[operation(
    delete "/v1/blocks/{username}",
    tag = "people",
    answer = "The account is not blocked.",
    problems(OwnAccount),
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

/// List blocked accounts.
///
/// The accounts that you have blocked, sorted by username. Players cannot see who has blocked them.
#[operation(
    get "/v1/blocks",
    tag = "people",
    answer = "A page of blocked accounts.",
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
