//! Links for sharing a match. A match has one while it can be joined by its code, if the operator has set the public
//! address of the service (`YANIV_PUBLIC_URL`).
//!
//! The page behind a link is in `join_page`.

/// Creates links below the public address.
#[derive(Clone, Debug, Default)]
pub struct Links {
    public_url: Option<String>,
}

impl Links {
    /// With the public address, if it is set and not empty.
    pub fn new(public_url: Option<&str>) -> Self {
        let given = public_url.filter(|url| !url.is_empty());
        Self { public_url: given.map(str::to_owned) }
    }

    /// The public address, if set.
    pub(crate) fn public_url(&self) -> Option<&str> {
        self.public_url.as_deref()
    }
}
