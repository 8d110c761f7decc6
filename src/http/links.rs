//! Links to share: a match prints one as long as it can be joined by its code, where the host has said under which address
//! the service is known (`YANIV_PUBLIC_URL`). What is behind them is in `join_page`.

use super::body::match_body::MatchBody;
use crate::service::status::Status;

/// What links begin with.
#[derive(Clone, Debug, Default)]
pub struct Links {
    public_url: Option<String>,
}

impl Links {
    /// Links under an address, if there is one.
    pub fn new(public_url: Option<&str>) -> Self {
        let given = public_url.filter(|url| !url.is_empty());
        Self { public_url: given.map(str::to_owned) }
    }

    /// The address, if there is one.
    pub(super) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }

    /// Puts the link into a match that somebody can join. It depends on nothing but the view and our address: whether the
    /// time of the code is over, the client sees by `code_expires_at`, as the tag of a view does not change by itself.
    pub(super) fn put(&self, mut body: MatchBody) -> MatchBody {
        let free = usize::try_from(body.size).is_ok_and(|size| body.seats.len() < size);
        let revoked = body.code_expires_at.is_some_and(|expires_at| expires_at <= body.updated_at);
        if body.status == Status::Waiting.as_str() && free && !revoked {
            body.join_link = self.public_url().map(|url| format!("{url}/join/{}", body.code));
        }
        body
    }
}
