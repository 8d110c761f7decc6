//! Replays, analyses and recaps.

use actix_web::get;
use actix_web::web::Data;
use serde::Deserialize;
use utoipa::IntoParams;
use yaniv_app::Services;
use yaniv_http_macros::operation;

use crate::history::analysis_body::RoundAnalysisBody;
use crate::history::recap_body::RecapBody;
use crate::history::replay_body::RoundReplayBody;
use crate::kernel::extract::{Auth, Read, Reads};
use crate::kernel::json::{NoQuery, Queried};
use crate::kernel::params::{MatchPath, PageQuery, RoundPath, check_range, checked_page};
use crate::kernel::responses::{ApiResult, Tagged};

/// Where the recap begins.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct GetRecapQuery {
    /// A version that you have seen: the recap covers later entries. If left out, those after your last own action.
    #[param(required = false, nullable = false, minimum = 0)]
    after: Option<i32>,
}

/// Show a recap.
///
/// A summary since your last action: finished rounds, calls, actions and absences of each player, and what the match
/// waits for. Cheap; `listLog` has the whole log.
#[operation(
    get "/v1/matches/{match_id}/recap",
    tag = "records",
    answer = "The recap.",
)]
pub(crate) async fn get_recap(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    query: Queried<GetRecapQuery>,
) -> ApiResult<Tagged<RecapBody>> {
    let after = query.0.after.map(|after| check_range("after", after, 0..=i32::MAX)).transpose()?;
    let recap = services.recap(caller.account, path.match_id, after).await?;
    let now = recap.clocks.time(services.now());
    Ok(Tagged::new(RecapBody::from(&recap), now))
}

/// Replay a round.
///
/// The deal, and the actions with the table after each, oldest first, in pages. A finished round is fully open; of the
/// round in play you get what you may know.
#[operation(
    get "/v1/matches/{match_id}/rounds/{round}",
    tag = "records",
    answer = "A page of the round.",
    problems(MatchNotStarted),
)]
pub(crate) async fn get_round(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: RoundPath,
    query: Queried<PageQuery>,
) -> ApiResult<Tagged<RoundReplayBody>> {
    let page = checked_page(query.0.limit, query.0.cursor)?;
    let replay = services.round(caller.account, path.match_id, path.round, page).await?;
    Ok(Tagged::new(RoundReplayBody::from(replay), services.now()))
}

/// Analyse a round.
///
/// For each decision of a finished round: what a bot would have done with the player's knowledge, and the estimated
/// cost of the decision in points. The bot is of level `expert`, which values hands by trained networks, for the rules
/// that these were trained for; otherwise `hard`, which looks one turn ahead. Its opinion has an error (docs/history.md).
#[operation(
    get "/v1/matches/{match_id}/rounds/{round}/analysis",
    tag = "records",
    answer = "The analysis.",
    problems(RoundNotOver, MatchNotStarted),
)]
pub(crate) async fn get_round_analysis(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: RoundPath,
    _: NoQuery,
) -> ApiResult<Tagged<RoundAnalysisBody>> {
    let analysis = services.round_analysis(caller.account, path.match_id, path.round).await?;
    Ok(Tagged::new(RoundAnalysisBody::from(&*analysis), services.now()))
}
