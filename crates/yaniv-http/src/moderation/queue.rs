//! Operations of moderators. Each is in the audit log.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use yaniv_app::Services;
use yaniv_app::moderation::queue::QueueQuery;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, Moderate, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery, Queried};
use crate::kernel::params::{ReportPath, checked_page, checked_username};
use crate::kernel::responses::{ApiResult, NoContent, Reply, Tagged};
use crate::moderation::decision_body::{DecisionBody, DecisionListBody};
use crate::moderation::queue_body::{QueuedReportBody, ReportQueueBody};
use crate::moderation::report_request::{DecideReportRequest, ListDecisionsQuery, ListReportQueueQuery};

/// List reports.
///
/// The queue: open reports, oldest first; or the closed ones. You do not see reports about your own account and
/// its bots.
#[operation(
    get "/v1/moderation/reports",
    tag = "moderation",
    answer = "A page of reports.",
    problems(ModeratorOnly),
)]
pub(crate) async fn list_report_queue(
    services: Data<Services>,
    caller: Auth<Moderate, Reads>,
    query: Queried<ListReportQueueQuery>,
) -> ApiResult<Tagged<ReportQueueBody>> {
    let ListReportQueueQuery { closed, limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let query = QueueQuery { closed: closed.unwrap_or_default(), cursor, limit };
    let page = services.report_queue(caller.account, query).await?;
    Ok(Tagged::new(ReportQueueBody::from(page), services.now()))
}

/// Show a report.
///
/// With what was decided.
#[operation(
    get "/v1/moderation/reports/{report_id}",
    tag = "moderation",
    answer = "The report.",
    problems(ModeratorOnly, ReportNotFound),
)]
pub(crate) async fn get_report(
    services: Data<Services>,
    caller: Auth<Moderate, Reads>,
    path: ReportPath,
    _: NoQuery,
) -> ApiResult<Reply<QueuedReportBody>> {
    let report = services.queued_report(caller.account, path.report_id).await?;
    Ok(Reply::new(QueuedReportBody::from(report)))
}

/// Decide a report.
///
/// Closes it, and the reports of others about the same with the same reason that are open or were closed with it. The
/// same request again changes nothing. Once another decision stands it is refused; undo that one first.
#[operation(
    put "/v1/moderation/reports/{report_id}/decision",
    tag = "moderation",
    example = json!({"kind": "warning", "reason": "Do not insult other players."}),
    answer = "The decision.",
    problems(ModeratorInvolved, ModeratorOnly, ReportNotFound, ReportClosed, AccountNotFound),
)]
pub(crate) async fn decide_report(
    services: Data<Services>,
    caller: Auth<Moderate, Writes>,
    path: ReportPath,
    body: JsonBody<DecideReportRequest>,
) -> ApiResult<Reply<DecisionBody>> {
    let decision = services.decide_report(caller.account, path.report_id, body.0.into()).await?;
    Ok(Reply::new(DecisionBody::from(decision)))
}

/// Undo the decision of a report.
///
/// Ends a mute or suspension, and gives back what was removed; a display name only if the player has no other and it is
/// still free. The player sees that it was undone. The report can be decided again. A repeated request changes nothing.
#[operation(
    delete "/v1/moderation/reports/{report_id}/decision",
    tag = "moderation",
    answer = "The decision is undone.",
    problems(ModeratorInvolved, ModeratorOnly, ReportNotFound, ReportOpen),
)]
pub(crate) async fn undo_decision(
    services: Data<Services>,
    caller: Auth<Moderate, Writes>,
    path: ReportPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.undo_decision(caller.account, path.report_id).await?;
    Ok(NoContent::default())
}

/// List decisions.
///
/// About one account, or about all but your own and its bots; newest first, with those that were undone.
#[operation(
    get "/v1/moderation/decisions",
    tag = "moderation",
    answer = "A page of decisions.",
    problems(ModeratorOnly, AccountNotFound),
)]
pub(crate) async fn list_decisions(
    services: Data<Services>,
    caller: Auth<Moderate, Reads>,
    query: Queried<ListDecisionsQuery>,
) -> ApiResult<Tagged<DecisionListBody>> {
    let ListDecisionsQuery { username, limit, cursor } = query.0;
    let (limit, cursor) = checked_page(limit, cursor)?;
    let username = checked_username("username", username)?;
    let page = services.decisions(caller.account, username.as_deref(), cursor.as_deref(), limit).await?;
    Ok(Tagged::new(DecisionListBody::from(page), services.now()))
}
