//! The answer of a write: the match after it, with the link to share where it waits for players.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use yaniv_app::matches::repeated_write::Answer;
use yaniv_match::status::Status;

use crate::kernel::error::ApiError;
use crate::kernel::links::Links;
use crate::kernel::responses::made;
use crate::match_view::match_body::MatchBody;

/// A write: the match after it, the same bytes each time.
///
/// # Errors
/// Only if the body cannot be printed.
pub(crate) fn written(status: StatusCode, answer: Answer) -> Result<HttpResponse, ApiError> {
    written_with_link(status, answer, &Links::default())
}

/// The same of a match that waits for players, with the link to share.
///
/// # Errors
/// Only if the body cannot be printed.
pub(crate) fn written_with_link(
    status: StatusCode,
    answer: Answer,
    links: &Links,
) -> Result<HttpResponse, ApiError> {
    let location =
        (status == StatusCode::CREATED).then(|| format!("/v1/matches/{}", answer.view.settings.id));
    made(status, location, answer.replayed, &with_link(links, MatchBody::at_its_time(answer.view)))
}

/// Puts the link into a match that somebody can join. It depends on nothing but the view and our address: whether the
/// time of the code is over, the client sees by `code_expires_at`, as the tag of a view does not change by itself.
pub(crate) fn with_link(links: &Links, mut body: MatchBody) -> MatchBody {
    let free = usize::try_from(body.size).is_ok_and(|size| body.seats.len() < size);
    let revoked = body.code_expires_at.is_some_and(|expires_at| expires_at <= body.updated_at);
    if body.status == Status::Waiting.as_str() && free && !revoked {
        body.join_link = links.public_url().map(|url| format!("{url}/join/{}", body.code));
    }
    body
}
