//! Notification settings: quiet hours.

use actix_web::web::Data;
use actix_web::{get, put};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::notifications::WantedQuiet;
use yaniv_http_macros::operation;

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, Reads, Writes};
use crate::kernel::json::{JsonBody, NoQuery};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Reply};
use crate::notifications::channel_body::NotificationSettingsBody;

/// Quiet hours of notifications. An empty object turns them off.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetNotificationSettingsRequest {
    /// Start of the quiet hours, HH:MM local time. Leave out both this and `quiet_to` to have none.
    #[serde(default)]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("22:00"))]
    quiet_from: Option<String>,
    /// End of the quiet hours, HH:MM local time, possibly on the next day.
    #[serde(default)]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("07:00"))]
    quiet_to: Option<String>,
    /// Time zone of the quiet hours, an IANA name; default: the `time_zone` of your account. Not without quiet hours.
    #[serde(default)]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    time_zone: Option<String>,
}

/// Show your notification settings.
///
/// Quiet hours of notifications, for all channels that are not `immediate`. They do not stop clocks.
#[operation(
    get "/v1/notification-settings",
    tag = "notifications",
    answer = "Your settings.",
)]
pub(crate) async fn get_notification_settings(
    services: Data<Services>,
    caller: Auth<Account, Reads>,
    _: NoQuery,
) -> ApiResult<Reply<NotificationSettingsBody>> {
    let settings = services.notification_settings(caller.account).await?;
    Ok(Reply::new(NotificationSettingsBody::new(settings, services.now())))
}

/// Replace your notification settings.
///
/// Notifications that arise in quiet hours are sent at their end, unless outdated by then. Repeating the request
/// changes nothing.
#[operation(
    put "/v1/notification-settings",
    tag = "notifications",
    example = json!({"quiet_from": "22:00", "quiet_to": "07:00", "time_zone": "Europe/London"}),
    answer = "Your settings.",
)]
pub(crate) async fn set_notification_settings(
    services: Data<Services>,
    caller: Auth<Account, Writes>,
    body: JsonBody<SetNotificationSettingsRequest>,
) -> ApiResult<Reply<NotificationSettingsBody>> {
    let missing =
        |name: &str| ApiError::field(ProblemCode::InvalidBody, name, "must be given together with the other");
    let SetNotificationSettingsRequest { quiet_from, quiet_to, time_zone } = body.0;
    let quiet = match (quiet_from, quiet_to) {
        (Some(from), Some(to)) => Some(WantedQuiet { from, to, time_zone }),
        (None, None) if time_zone.is_some() => {
            let message = "is that of quiet hours: give `quiet_from` and `quiet_to`, too, or leave it out";
            return Err(ApiError::field(ProblemCode::InvalidBody, "time_zone", message));
        }
        (None, None) => None,
        (None, Some(_)) => return Err(missing("quiet_from")),
        (Some(_), None) => return Err(missing("quiet_to")),
    };
    let settings = services.set_notification_settings(caller.account, quiet).await?;
    Ok(Reply::new(NotificationSettingsBody::new(settings, services.now())))
}
