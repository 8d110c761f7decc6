//! Latency of answers on a keep-alive connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use crate::support::TestApp;

/// Large enough to be written in several parts when compressed.
const REQUEST: &[u8] = b"GET /v1/rule-options HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n";
/// The first segments of a connection are acknowledged at once.
const BEFORE: usize = 20;
const MEASURED: usize = 40;
/// Half of Linux's delayed acknowledgement.
const HELD_BACK: Duration = Duration::from_millis(20);

/// Time of a compressed answer, to its last byte.
fn time_of_answer(connection: &mut TcpStream) -> Duration {
    let begun = Instant::now();
    connection.write_all(REQUEST).unwrap();
    let (mut answer, mut part) = (Vec::new(), vec![0; 1 << 16]);
    while !answer.ends_with(b"\r\n0\r\n\r\n") {
        let count = connection.read(&mut part).unwrap();
        assert!(count > 0, "the service has closed the connection");
        answer.extend_from_slice(&part[..count]);
    }
    assert!(String::from_utf8_lossy(&answer).contains("content-encoding: gzip"));
    begun.elapsed()
}

/// The lower quartile: a busy machine makes some answers slow, but not most.
fn lower_quartile(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times[times.len() / 4]
}

fn measure(address: SocketAddr) -> (Duration, Duration) {
    let open = || TcpStream::connect(address).unwrap();
    let fresh = lower_quartile((0..MEASURED).map(|_| time_of_answer(&mut open())));
    let mut connection = open();
    let times = (0..BEFORE + MEASURED).map(|_| time_of_answer(&mut connection));
    (fresh, lower_quartile(times.skip(BEFORE)))
}

/// Without `TCP_NODELAY` the second part of each answer waits until the client acknowledges the first: some 44 ms
/// instead of 1.
#[tokio::test(flavor = "multi_thread")]
async fn compressed_answers_over_a_kept_connection_do_not_wait_for_acknowledgements() {
    let app = TestApp::start().await;
    let address = app.address;
    let (fresh, kept) = tokio::task::spawn_blocking(move || measure(address)).await.unwrap();
    assert!(kept < fresh + HELD_BACK, "{kept:?}, over a fresh connection {fresh:?}");
}
