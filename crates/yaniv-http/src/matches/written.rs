//! The response to a write: the match after it, with the link to share while it waits for players.

use yaniv_app::matches::repeated_write::Answer;
use yaniv_match::status::Status;
use yaniv_match::view::MatchView;

use crate::kernel::links::Links;
use crate::kernel::responses::{CreatedAt, Reply};
use crate::match_view::match_body::MatchBody;

/// 200: the match after the write, the same bytes for each retry.
pub(crate) fn written(answer: &Answer, links: &Links) -> Reply<MatchBody> {
    let body = MatchBody::at_its_time(&answer.view);
    Reply::of_write(answer.replayed, with_link(body, &answer.view, links))
}

/// 201: the same, with the path of the match.
pub(crate) fn created(answer: &Answer, links: &Links) -> CreatedAt<MatchBody> {
    let view = &answer.view;
    let body = with_link(MatchBody::at_its_time(view), view, links);
    CreatedAt { location: format!("/v1/matches/{}", body.match_id), body, replayed: answer.replayed }
}

/// Adds the link to a match that can be joined. Independent of the time, as tags are: whether the code has expired,
/// the client sees from `join_code_expires_at`.
pub(crate) fn with_link(body: MatchBody, view: &MatchView, links: &Links) -> MatchBody {
    let code = &view.join_code;
    let free = usize::try_from(view.settings.size).is_ok_and(|size| view.players.len() < size);
    let revoked = code.expires_at.is_some_and(|expires_at| expires_at <= view.updated_at);
    let can_join = view.status == Status::Waiting && free && !revoked;
    let link = links.join_link(&code.code).filter(|_| can_join);
    MatchBody { join_link: link, ..body }
}
