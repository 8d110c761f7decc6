//! Creating matches.

use actix_web::post;
use actix_web::web::Data;
use yaniv_app::Services;
use yaniv_bot::Level;
use yaniv_http_macros::operation;

use crate::kernel::extract::{Auth, KeyHeader, Play, Writes};
use crate::kernel::json::JsonBody;
use crate::kernel::links::Links;
use crate::kernel::responses::{ApiResult, CreatedAt};
use crate::lobby::create_request::CreateMatchRequest;
use crate::match_view::match_body::MatchBody;
use crate::matches::written::created;

/// Create a match.
///
/// You get the first seat; house bots, one for each level in `bots`, get the next ones. If all seats are taken, you can
/// start at once. Share the code: every player who has it can see the rules and the commitment, and join.
#[operation(
    post "/v1/matches",
    tag = "matches",
    example = json!({"size": 2, "rules": {"preset": "yaniv"}, "client_seed": "my lucky number is 7"}),
    answer = "The new match, waiting for players.",
    problems(SandboxesOff, TooManyWaitingMatches, TooManyRunningMatches, TooManyMatchesToday, RatedNotAllowed, BadRules, NotRatable),
)]
pub(crate) async fn create_match(
    services: Data<Services>,
    links: Data<Links>,
    caller: Auth<Play, Writes>,
    key: KeyHeader,
    body: JsonBody<CreateMatchRequest>,
) -> ApiResult<CreatedAt<MatchBody>> {
    let request = body.0;
    let key = key.of("createMatch", "", &request)?;
    let new = (request.new_match()?, request.bots.iter().copied().map(Level::from).collect());
    let answer = services.create_match(caller.account, new, request.client_seed, key).await?;
    Ok(created(&answer, &links))
}
