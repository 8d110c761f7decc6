//! Links to share: a match prints one as long as it can be joined by its code, where the host has said under
//! which address the service is known (`YANIV_PUBLIC_URL`).
//!
//! What is behind them is in `join_page`.

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
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }
}
