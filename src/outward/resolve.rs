//! Names, resolved by ourselves: of what a name leads to, only addresses that everybody can reach are connected to.
//!
//! What is checked is what is dialled, so a name that changes between two questions gains nothing.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::is_public;
use super::destination::NotAllowed;

/// The addresses that a name leads to.
pub type Found = Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>>;
/// What asks for them.
pub type Lookup = dyn Fn(String) -> Found + Send + Sync;

/// Resolves names for a client.
#[derive(Clone)]
pub struct Guarded {
    lookup: Arc<Lookup>,
    private: bool,
}

impl Guarded {
    /// By the system's resolver. With `private`, whatever it says is taken.
    #[must_use]
    pub fn system(private: bool) -> Self {
        Self::by(Arc::new(|name| Box::pin(ask_system(name))), private)
    }

    /// By another resolver.
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
