//! Outbound requests cannot be used to reach the internal network: names that resolve to internal addresses, now or
//! later, and endless answers.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::header::HeaderMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use yaniv_outbound::resolve::Guarded;
use yaniv_outbound::{Answer, Destination, Failure, HttpSender, Post};

/// A listener on this machine, and its number of connections.
async fn listener() -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, count) = (listener.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&count);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::SeqCst);
            drop(stream);
        }
    });
    (port, count)
}

/// A resolver that returns one result first and another from then on.
fn changing(first: &[IpAddr], then: &[IpAddr], private: bool) -> (Guarded, Arc<AtomicUsize>) {
    let (first, then, asked) = (first.to_vec(), then.to_vec(), Arc::new(AtomicUsize::new(0)));
    let counted = Arc::clone(&asked);
    let lookup = move |_: String| {
        let now = if counted.fetch_add(1, Ordering::SeqCst) == 0 { first.clone() } else { then.clone() };
        let found: yaniv_outbound::resolve::Found = Box::pin(std::future::ready(Ok(now)));
        found
    };
    (Guarded::by(Arc::new(lookup), private), asked)
}

fn post(url: &str, private: bool) -> Post {
    let to = Destination::parse(url, private).unwrap();
    Post { to, headers: HeaderMap::new(), body: b"{}".to_vec() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_leads_inside_is_not_connected_to_however_it_changes() {
    let (port, connected) = listener().await;
    let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
    let inside: [&[IpAddr]; 5] = [
        &loopback,
        &["::1".parse().unwrap()],
        &["::ffff:127.0.0.1".parse().unwrap()],
        &["0.0.0.0".parse().unwrap()],
        &["10.0.0.1".parse().unwrap(), "127.0.0.1".parse().unwrap()],
    ];
    // The listener has no standard port: this destination is accepted here to show that the resolver suffices.
    let url = format!("http://rebinding.example:{port}/");
    for addresses in inside {
        let (names, asked) = changing(addresses, addresses, false);
        let postman = HttpSender::within(names, true, Duration::from_secs(60)).unwrap();
        for _ in 0..3 {
            assert_eq!(postman.send(post(&url, true)).await, Answer::None(Failure::Unreachable));
        }
        assert_eq!(asked.load(Ordering::SeqCst), 3, "it is asked again each time");
    }
    // First a public address (without a listener), then an internal one.
    let outside = ["192.0.2.1".parse().unwrap(), "2001:4860:4860::8888".parse().unwrap()];
    let (names, _) = changing(&outside, &loopback, false);
    let postman = HttpSender::within(names, true, Duration::from_millis(300)).unwrap();
    for _ in 0..3 {
        assert!(matches!(postman.send(post(&url, true)).await, Answer::None(_)));
    }
    assert_eq!(connected.load(Ordering::SeqCst), 0);
    // The listener would have noticed.
    let (names, _) = changing(&loopback, &loopback, true);
    let postman = HttpSender::within(names, true, Duration::from_secs(60)).unwrap();
    postman.send(post(&url, true)).await;
    assert_eq!(connected.load(Ordering::SeqCst), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_an_end_is_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let counted = Arc::clone(&counted);
            tokio::spawn(async move {
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n").await;
                while stream.write_all(&[b'a'; 65_536]).await.is_ok() {
                    counted.fetch_add(65_536, Ordering::SeqCst);
                }
            });
        }
    });
    let postman = HttpSender::new(Guarded::system(true), true).unwrap();
    assert_eq!(postman.send(post(&url, true)).await, Answer::Status(200, None));
    assert!(sent.load(Ordering::SeqCst) < 16 << 20, "{}", sent.load(Ordering::SeqCst));
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_without_an_end_are_not_waited_for() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                // The answer comes after the request.
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n").await;
                while stream.write_all(b"x: y\r\n").await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            });
        }
    });
    let postman = HttpSender::within(Guarded::system(true), true, Duration::from_secs(1)).unwrap();
    let sending = tokio::time::timeout(Duration::from_secs(120), postman.send(post(&url, true)));
    assert_eq!(sending.await.unwrap(), Answer::None(Failure::Timeout));
}
