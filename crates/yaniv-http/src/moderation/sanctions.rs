//! What moderators have decided about the caller.

use actix_web::get;
use actix_web::web::Data;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::Queried;
use crate::kernel::params::{PageQuery, checked_page};
use crate::kernel::responses::{ApiResult, Tagged};
use crate::moderation::decision_body::SanctionListBody;

/// List your sanctions.
///
/// Warnings, mutes, suspensions and removals, newest first, with their reasons. Show a new one to the player.
#[operation(
    get "/v1/account/sanctions",
    tag = "moderation",
    answer = "A page of your sanctions.",
)]
pub(crate) async fn list_sanctions(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<PageQuery>,
) -> ApiResult<Tagged<SanctionListBody>> {
    let PageQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.sanctions(caller.account, cursor.as_deref(), limit).await?;
    Ok(Tagged::new(SanctionListBody::from(page), services.now()))
}
