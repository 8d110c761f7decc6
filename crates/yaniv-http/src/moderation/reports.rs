//! Operations of players: report something, list what they have reported.

use actix_web::web::Data;
use actix_web::{get, post};
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Play, Read, Reads, Reports};
use crate::kernel::json::{JsonBody, Queried};
use crate::kernel::params::{PageQuery, PlayerPath, RoundPath, UsernamePath, checked_page};
use crate::kernel::responses::{ApiResult, Created, Tagged};
use crate::moderation::report_body::{ReportBody, ReportListBody};
use crate::moderation::report_request::ReportRequest;

/// Report a player.
///
/// Moderators see the report, and the name as it is now; the player does not learn of it. With the reason
/// `offensive_name` the name is reported. While your report about the same is open, a repeated request returns it
/// unchanged. To keep a player away from you, use `blockAccount`.
#[operation(
    post "/v1/profiles/{username}/reports",
    tag = "moderation",
    example = json!({"reason": "harassment", "comment": "Calls me names in dedications."}),
    answer = "The report.",
    problems(OwnAccount),
)]
pub(crate) async fn report_player(
    services: Data<Services>,
    caller: Auth<Play, Reports>,
    path: UsernamePath,
    body: JsonBody<ReportRequest>,
) -> ApiResult<Created<ReportBody>> {
    let report = services.report_player(caller.account, &path.username, body.0.into()).await?;
    Ok(Created::new(ReportBody::from(report)))
}

/// Report the play of a player in a match.
///
/// For matches that you may read. Otherwise as `reportPlayer`. A moderator sees no cards that you do not see.
#[operation(
    post "/v1/matches/{match_id}/players/{username}/reports",
    tag = "moderation",
    example = json!({"reason": "collusion", "comment": "Throws the lead away for the other."}),
    answer = "The report.",
    problems(PlayerNotFound, AccountNotFound, OwnAccount),
)]
pub(crate) async fn report_match(
    services: Data<Services>,
    caller: Auth<Play, Reports>,
    path: PlayerPath,
    body: JsonBody<ReportRequest>,
) -> ApiResult<Created<ReportBody>> {
    let PlayerPath { match_id, username } = path;
    let report = services.report_match(caller.account, match_id, &username, body.0.into()).await?;
    Ok(Created::new(ReportBody::from(report)))
}

/// Report a dedication.
///
/// For a dedication that you see. The report has its text, and is about its dealer. Otherwise as `reportPlayer`.
#[operation(
    post "/v1/matches/{match_id}/rounds/{round}/dedication/reports",
    tag = "moderation",
    example = json!({"reason": "offensive_text"}),
    answer = "The report.",
    problems(DedicationNotFound, AccountNotFound, OwnAccount),
)]
pub(crate) async fn report_dedication(
    services: Data<Services>,
    caller: Auth<Play, Reports>,
    path: RoundPath,
    body: JsonBody<ReportRequest>,
) -> ApiResult<Created<ReportBody>> {
    let RoundPath { match_id, round } = path;
    let report = services.report_dedication(caller.account, match_id, round, body.0.into()).await?;
    Ok(Created::new(ReportBody::from(report)))
}

/// List your reports.
///
/// With their states, newest first.
#[operation(
    get "/v1/reports",
    tag = "moderation",
    answer = "A page of your reports.",
)]
pub(crate) async fn list_reports(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    query: Queried<PageQuery>,
) -> ApiResult<Tagged<ReportListBody>> {
    let PageQuery { limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let page = services.own_reports(caller.account, cursor.as_deref(), limit).await?;
    Ok(Tagged::new(ReportListBody::from(page), services.now()))
}
