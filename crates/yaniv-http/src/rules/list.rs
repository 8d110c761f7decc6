//! The rule sets and their options, for the form of a new match. Nothing of it is secret: no log-in.

use actix_web::get;
use yaniv_http_macros::operation;

use crate::kernel::json::NoQuery;
use crate::kernel::responses::{ApiResult, Reply};
use crate::rules::rule_catalog_body::{PresetListBody, RuleOptionListBody};

/// List the presets.
///
/// Named rule sets, with every option of each.
#[operation(
    get "/v1/rule-presets",
    tag = "rules",
    answer = "The presets, the default first.",
)]
pub(crate) async fn list_presets(_: NoQuery) -> ApiResult<Reply<PresetListBody>> {
    Ok(Reply::new(PresetListBody::all()))
}

/// List the options of a rule set.
///
/// Everything that a client needs for the form of a new match, and to know which rule sets are accepted: of each option
/// its form, bounds and default, and the number of seats that fit.
#[operation(
    get "/v1/rule-options",
    tag = "rules",
    answer = "The options.",
)]
pub(crate) async fn list_rule_options(_: NoQuery) -> ApiResult<Reply<RuleOptionListBody>> {
    Ok(Reply::new(RuleOptionListBody::all()))
}
