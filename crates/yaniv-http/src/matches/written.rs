//! The response to a write: the match after it, with the link to share while it waits for players.

use yaniv_app::matches::repeated_write::Answer;
use yaniv_match::status::Status;

use crate::kernel::links::Links;
use crate::kernel::responses::{CreatedAt, Reply};
use crate::match_view::match_body::MatchBody;

/// 200: the match after the write, the same bytes for each retry.
pub(crate) fn written(answer: Answer, links: &Links) -> Reply<MatchBody> {
    Reply::of_write(answer.replayed, with_link(links, MatchBody::at_its_time(answer.view)))
}

/// 201: the same, with the path of the match.
pub(crate) fn created(answer: Answer, links: &Links) -> CreatedAt<MatchBody> {
    let body = with_link(links, MatchBody::at_its_time(answer.view));
    CreatedAt { location: format!("/v1/matches/{}", body.id), body, replayed: answer.replayed }
}

/// Adds the link to a match that can be joined. Independent of the time, as tags are: whether the code has expired,
/// the client sees from `code_expires_at`.
pub(crate) fn with_link(links: &Links, mut body: MatchBody) -> MatchBody {
    let free = usize::try_from(body.size).is_ok_and(|size| body.seats.len() < size);
    let revoked = body.code_expires_at.is_some_and(|expires_at| expires_at <= body.updated_at);
    if body.status == Status::Waiting.as_str() && free && !revoked {
        body.join_link = links.public_url().map(|url| format!("{url}/join/{}", body.code));
    }
    body
}
