//! Blocks: people whom somebody does not want to meet.

use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse, delete, get, put};
use yaniv_app::Services;

use crate::accounts::relations_body::BlockListBody;
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Caller, Owner};
use crate::kernel::json::{NoBody, Queried};
use crate::kernel::params::{PageQuery, UsernamePath, checked_page};
use crate::kernel::problem::Problem;
use crate::kernel::responses::{done, tagged};

/// Block somebody.
///
/// From now on you do not meet: neither can join a match in which the other has a seat, and you are not paired. Nobody tells them.
/// A friendship ends. Matches that you are in together go on; if you wait to be paired in one group, your request is taken
/// back when the group is whole. Blocked again, nothing changes.
#[utoipa::path(
    operation_id = "blockAccount",
    tag = "people",
    security(("access_token" = ["account"])),
    params(UsernamePath),
    responses(
        (status = 204, description = "They are blocked."),
        (status = 409, description = "`yourself`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[put("/v1/blocks/{username}")]
pub(crate) async fn block_account(
    services: Data<Services>,
    owner: Owner,
    path: UsernamePath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.block(owner.0.account, &path.username).await?;
    Ok(done())
}

/// Take a block back.
///
/// Where there is none, nothing changes.
#[utoipa::path(
    operation_id = "unblockAccount",
    tag = "people",
    security(("access_token" = ["account"])),
    params(UsernamePath),
    responses(
        (status = 204, description = "They are not blocked by you."),
        (status = 409, description = "`yourself`.", body = Problem, content_type = "application/problem+json"),
    )
)]
#[delete("/v1/blocks/{username}")]
pub(crate) async fn unblock_account(
    services: Data<Services>,
    owner: Owner,
    path: UsernamePath,
    _: NoBody,
) -> Result<HttpResponse, ApiError> {
    services.unblock(owner.0.account, &path.username).await?;
    Ok(done())
}

/// List whom you have blocked.
///
/// By name. Who has blocked you is told to nobody.
#[utoipa::path(
    operation_id = "listBlocks",
    tag = "people",
    security(("access_token" = [])),
    params(PageQuery),
    responses(
        (status = 200, description = "A page of them.", body = BlockListBody,
            headers(("ETag" = String, description = "Tag of the page, for If-None-Match."))),
        (status = 304, description = "The page is as your tag says."),
    )
)]
#[get("/v1/blocks")]
pub(crate) async fn list_blocks(
    services: Data<Services>,
    request: HttpRequest,
    caller: Caller,
    query: Queried<PageQuery>,
) -> Result<HttpResponse, ApiError> {
    let PageQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.blocked(caller.0, cursor.as_deref(), limit).await?;
    tagged(&request, &BlockListBody::from(page), services.now())
}
