//! When somebody wants to be told.

use actix_web::http::StatusCode;
use actix_web::web::Data;
use actix_web::{HttpResponse, get, put};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::notifications::WantedQuiet;

use crate::kernel::error::ApiError;
use crate::kernel::extract::Owner;
use crate::kernel::json::{JsonBody, NoQuery};
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::plain;
use crate::notifications::channel_body::NoticeSettingsBody;

/// When you want to be told: what is left out is off.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetNoticeSettingsRequest {
    /// From when notices wait, by the clock on your wall: HH:MM. Left out together with `quiet_to`, they never do.
    #[serde(default)]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("22:00"))]
    quiet_from: Option<String>,
    /// Until when, perhaps on the next day: HH:MM.
    #[serde(default)]
    #[schema(nullable = false, pattern = "^[0-2][0-9]:[0-5][0-9]$", examples("07:00"))]
    quiet_to: Option<String>,
    /// Where the wall is: a name of the IANA time zone database. If left out, the `time_zone` of your account.
    #[serde(default)]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    time_zone: Option<String>,
}

/// Show when you want to be told.
///
/// Quiet hours of notices, which hold for all channels that are not `immediate`. They do not stop any clock.
#[utoipa::path(
    operation_id = "getNoticeSettings",
    tag = "notices",
    security(("access_token" = ["account"])),
    responses((status = 200, description = "Your settings.", body = NoticeSettingsBody))
)]
#[get("/v1/notice-settings")]
pub(crate) async fn get_notice_settings(
    services: Data<Services>,
    owner: Owner,
    _: NoQuery,
) -> Result<HttpResponse, ApiError> {
    let settings = services.notice_settings(owner.0.account).await?;
    plain(StatusCode::OK, &NoticeSettingsBody::new(settings, services.now()))
}

/// Say when you want to be told.
///
/// In the place of what you said before. Notices that come up in quiet hours are sent at their end, if they still tell
/// something new. Sent again, it changes nothing.
#[utoipa::path(
    operation_id = "setNoticeSettings",
    tag = "notices",
    security(("access_token" = ["account"])),
    request_body(content = SetNoticeSettingsRequest,
        example = json!({"quiet_from": "22:00", "quiet_to": "07:00", "time_zone": "Europe/London"})),
    responses((status = 200, description = "Your settings.", body = NoticeSettingsBody))
)]
#[put("/v1/notice-settings")]
pub(crate) async fn set_notice_settings(
    services: Data<Services>,
    owner: Owner,
    body: JsonBody<SetNoticeSettingsRequest>,
) -> Result<HttpResponse, ApiError> {
    let missing = |name: &str| ApiError::field(ProblemCode::InvalidBody, name, "is needed with the other");
    let SetNoticeSettingsRequest { quiet_from, quiet_to, time_zone } = body.0;
    let quiet = match (quiet_from, quiet_to) {
        (Some(from), Some(to)) => Some(WantedQuiet { from, to, time_zone }),
        (None, None) => None,
        (None, Some(_)) => return Err(missing("quiet_from")),
        (Some(_), None) => return Err(missing("quiet_to")),
    };
    let settings = services.set_notice_settings(owner.0.account, quiet).await?;
    plain(StatusCode::OK, &NoticeSettingsBody::new(settings, services.now()))
}
