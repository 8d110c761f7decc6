//! Links for sharing a match.
//!
//! A match has one while it can be joined by its code, if the operator has set the link of the client
//! (`YANIV_JOIN_LINK`) or the public address of the service (`YANIV_PUBLIC_URL`).
//! Behind a link is a screen of the web client or, without it, the page of `join_page`.

/// Stands for the code in the link of the client.
pub const CODE: &str = "{code}";

/// Creates links to the configured client, or to `/join/` below the public address.
#[derive(Clone, Debug, Default)]
pub struct Links {
    public_url: Option<String>,
    client: Option<String>,
}

impl Links {
    /// With the public address, and the link of the client, if they are set and not empty.
    pub fn new(public_url: Option<&str>, client: Option<&str>) -> Self {
        let given = |url: Option<&str>| url.filter(|url| !url.is_empty()).map(str::to_owned);
        Self { public_url: given(public_url), client: given(client) }
    }

    /// The link to share: to the configured client, or to this service.
    pub(crate) fn join_link(&self, code: &str) -> Option<String> {
        let own = || self.public_url.as_ref().map(|url| format!("{url}/join/{code}"));
        self.client_link(code).or_else(own)
    }

    /// The link to the client, if it is configured.
    pub(crate) fn client_link(&self, code: &str) -> Option<String> {
        self.client.as_ref().map(|link| link.replace(CODE, code))
    }

    /// Whether the public address is HTTPS.
    pub(crate) fn is_https(&self) -> bool {
        self.public_url.as_ref().is_some_and(|url| url.starts_with("https://"))
    }

    /// The public address, if set.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }
}
