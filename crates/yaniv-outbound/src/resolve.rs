//! DNS resolver that returns only public addresses, as protection against request forgery.
//!
//! The checked address is the one connected to, so DNS rebinding has no effect.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::address::is_public;
use crate::destination::NotAllowed;

/// Future of a lookup.
pub type Found = Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>>;
/// A lookup function.
pub type Lookup = dyn Fn(String) -> Found + Send + Sync;

/// Resolver of a client, restricted to public addresses.
#[derive(Clone)]
pub struct Guarded {
    lookup: Arc<Lookup>,
    private: bool,
}

impl Guarded {
    /// Uses the system's resolver. With `private`, all addresses are accepted.
    #[must_use]
    pub fn system(private: bool) -> Self {
        Self::by(Arc::new(|name| Box::pin(ask_system(name))), private)
    }

    /// Uses another lookup function.
    #[must_use]
    pub fn by(lookup: Arc<Lookup>, private: bool) -> Self {
        Self { lookup, private }
    }
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let found = (self.lookup)(name.as_str().to_owned());
        let private = self.private;
        Box::pin(async move {
            let addresses: Vec<SocketAddr> = found
                .await?
                .into_iter()
                .filter(|address| private || is_public(*address))
                .map(|address| SocketAddr::new(address, 0))
                .collect();
            if addresses.is_empty() {
                return Err(NotAllowed.into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter());
            Ok(addresses)
        })
    }
}

async fn ask_system(name: String) -> std::io::Result<Vec<IpAddr>> {
    Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
}
