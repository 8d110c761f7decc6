//! Clients that vanish: they send a request, or a part of it, and then reset, close, or fall silent.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::faults::clients::op::Op;
use crate::player::Random;

/// Bound on silent connections kept open.
const SILENT: usize = 32;

/// Sends requests without waiting for answers.
#[derive(Debug)]
pub struct Vanisher {
    addresses: Vec<SocketAddr>,
    silent: Vec<TcpStream>,
    /// How often it vanished.
    pub times: usize,
}

impl Vanisher {
    /// A vanisher for these instances.
    #[must_use]
    pub fn new(addresses: &[SocketAddr]) -> Self {
        Self { addresses: addresses.to_vec(), silent: Vec::new(), times: 0 }
    }

    /// Sends the request up to a random byte, or all of it; waits up to 50 ms; and vanishes.
    pub async fn vanish(&mut self, op: &Op, token: &str, random: &mut Random) {
        let Some(address) = random.pick(&self.addresses).copied() else { return };
        let wire = op.wire(token);
        let whole = random.below(3) > 0;
        let length = if whole { wire.len() } else { random.below(wire.len()) };
        let Ok(mut stream) = TcpStream::connect(address).await else { return };
        // A failure counts as vanished, too.
        let _ = stream.set_nodelay(true);
        let _ = stream.write_all(wire.get(..length).unwrap_or_default()).await;
        if random.below(4) > 0 {
            let wait = u64::try_from(random.below(50)).unwrap_or_default();
            tokio::time::sleep(Duration::from_millis(wait * wait / 50)).await;
        }
        self.times += 1;
        match random.below(3) {
            0 => drop(stream.set_zero_linger()),
            1 => drop(stream),
            _ => self.keep_silent(stream),
        }
    }

    fn keep_silent(&mut self, stream: TcpStream) {
        if self.silent.len() >= SILENT {
            self.silent.remove(0);
        }
        self.silent.push(stream);
    }
}
