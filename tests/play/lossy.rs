//! A proxy to the service that loses answers.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::support::Service;

/// The proxy.
pub(crate) struct Lossy {
    address: SocketAddr,
    /// How many of the next answers are lost.
    pub(crate) lose: Arc<AtomicUsize>,
}

impl Lossy {
    /// A proxy that can lose answers to requests that contain this text.
    pub(crate) async fn start(service: &Service, only: &'static str) -> Self {
        let service = service.url().trim_start_matches("http://").parse().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, lose) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counter = Arc::clone(&lose);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, service, only, Arc::clone(&counter)));
            }
        });
        Self { address, lose }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// Forwards requests and answers; when an answer is to be lost, the connection breaks.
async fn carry(client: TcpStream, service: SocketAddr, only: &'static str, lose: Arc<AtomicUsize>) {
    let Ok(upstream) = TcpStream::connect(service).await else { return };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_service, mut to_service) = upstream.into_split();
    let meant = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&meant);
    let requests = tokio::spawn(async move {
        let mut part = vec![0; 65_536];
        while let Ok(length @ 1..) = from_client.read(&mut part).await {
            let text = String::from_utf8_lossy(&part[..length]);
            asked.store(text.contains(only), Ordering::SeqCst);
            if to_service.write_all(&part[..length]).await.is_err() {
                break;
            }
        }
    });
    let mut part = vec![0; 65_536];
    while let Ok(length @ 1..) = from_service.read(&mut part).await {
        let less = |left: usize| left.checked_sub(1);
        if meant.load(Ordering::SeqCst) && lose.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
        {
            break;
        }
        if to_client.write_all(&part[..length]).await.is_err() {
            break;
        }
    }
    requests.abort();
}
