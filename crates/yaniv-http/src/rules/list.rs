//! The rule sets and their options, for the form of a new match. Nothing of it is secret: no log-in.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, get};

use crate::kernel::error::ApiError;
use crate::kernel::json::NoQuery;
use crate::kernel::responses::plain;
use crate::rules::rule_catalog_body::{PresetListBody, RuleOptionListBody};

/// List the presets.
///
/// Named rule sets, with every option of each.
#[utoipa::path(
    operation_id = "listPresets",
    tag = "rules",
    responses((status = 200, description = "The presets, the default first.", body = PresetListBody))
)]
#[get("/v1/rule-presets")]
pub(crate) async fn list_presets(_: NoQuery) -> Result<HttpResponse, ApiError> {
    plain(StatusCode::OK, &PresetListBody::all())
}

/// List the options of a rule set.
///
/// Names, bounds and meaning of everything that `rules` may have in a new match.
#[utoipa::path(
    operation_id = "listRuleOptions",
    tag = "rules",
    responses((status = 200, description = "The options.", body = RuleOptionListBody))
)]
#[get("/v1/rule-options")]
pub(crate) async fn list_rule_options(_: NoQuery) -> Result<HttpResponse, ApiError> {
    plain(StatusCode::OK, &RuleOptionListBody::all())
}
