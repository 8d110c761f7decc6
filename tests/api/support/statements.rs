//! Counts what a service sends to its database: a TCP proxy between them that reads the messages of PostgreSQL's protocol.

use std::collections::{BTreeMap, HashSet};
use std::ops::Sub;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, UnixStream};
use tokio_postgres::config::{Config, Host};

/// How often a request is repeated.
const REPEATS: usize = 8;
/// What only the text of the check of a pooled connection has (`crates/yaniv-db/src/kernel/pool.rs`).
const CHECK: &[u8] = b"pg_is_in_recovery";

/// Statements, and round trips that carry statements: a statement that is sent before anything of the answer to an
/// earlier one has come (pipelined) shares its round trip.
///
/// Preparing a statement is not counted: it happens once for each connection. Nor is the check of a pooled connection:
/// it happens once a second at most (`connections.rs` holds that), so on a slow machine more requests have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Count {
    pub(crate) statements: u32,
    pub(crate) round_trips: u32,
}

impl Sub for Count {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            statements: self.statements - earlier.statements,
            round_trips: self.round_trips - earlier.round_trips,
        }
    }
}

/// Counts by operation.
pub(crate) type Counts = BTreeMap<String, Count>;

/// Keeps the least count of an operation.
pub(crate) fn keep_least(counts: &mut Counts, operation: &str, count: Count) {
    let known = counts.entry(operation.to_owned()).or_insert(count);
    *known = (*known).min(count);
}

/// The counters of a proxy: statements, round trips, and checks of connections, which are in neither of these.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statements(Arc<[AtomicU32; 3]>);

impl Statements {
    /// What has been sent up to now.
    pub(crate) fn count(&self) -> Count {
        let [statements, round_trips, _] = self.0.each_ref().map(|count| count.load(Ordering::SeqCst));
        Count { statements, round_trips }
    }

    /// Checks of connections up to now.
    pub(crate) fn checks(&self) -> u32 {
        self.0[2].load(Ordering::SeqCst)
    }

    /// What a request sends: repeated, as background jobs use the same database, and the least count taken.
    pub(crate) async fn least(&self, mut request: impl AsyncFnMut()) -> Count {
        let mut least = Count { statements: u32::MAX, round_trips: u32::MAX };
        for _ in 0..REPEATS {
            let before = self.count();
            request().await;
            least = least.min(self.count() - before);
        }
        least
    }

    fn add(&self, statements: u32, round_trips: u32, checks: u32) {
        for (count, more) in self.0.iter().zip([statements, round_trips, checks]) {
            count.fetch_add(more, Ordering::SeqCst);
        }
    }

    /// Starts a proxy for a database on a Unix-domain socket; the URL of the proxy.
    pub(crate) async fn watch(&self, database_url: &str) -> String {
        let config: Config = database_url.parse().unwrap();
        let [Host::Unix(folder)] = config.get_hosts() else { panic!("not one socket: {database_url}") };
        let socket = folder.join(format!(".s.PGSQL.{}", config.get_ports()[0]));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (user, name) = (config.get_user().unwrap(), config.get_dbname().unwrap());
        let url = format!("postgres://{user}@{}/{name}?sslmode=disable", listener.local_addr().unwrap());
        tokio::spawn(self.clone().accept(listener, socket));
        url
    }

    async fn accept(self, listener: TcpListener, socket: PathBuf) {
        while let Ok((client, _)) = listener.accept().await {
            client.set_nodelay(true).unwrap();
            let (counters, socket) = (self.clone(), socket.clone());
            tokio::spawn(async move {
                let Ok(server) = UnixStream::connect(socket).await else { return };
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                let answered = AtomicBool::new(true);
                // When either direction ends, so does the other.
                tokio::select! {
                    _ = counters.forward(from_client, to_server, &answered) => {}
                    _ = answer(from_server, to_client, &answered) => {}
                }
            });
        }
    }

    /// Forwards the messages of a client, and counts them.
    async fn forward(
        &self,
        mut from: impl AsyncRead + Unpin,
        mut to: impl AsyncWriteExt + Unpin,
        answered: &AtomicBool,
    ) -> std::io::Result<()> {
        // Only the first message has no type.
        let mut message = read_body(&mut from, Vec::new()).await?;
        // Names of prepared checks, and whether the statement to be executed next is one.
        let (mut checks, mut is_check) = (HashSet::new(), false);
        let mut since_sync = 0;
        loop {
            to.write_all(&message).await?;
            let kind = from.read_u8().await?;
            message = read_body(&mut from, vec![kind]).await?;
            match kind {
                // Parse: name and text of a statement that is prepared.
                b'P' => {
                    let [name, text] = strings(&message);
                    if text.windows(CHECK.len()).any(|part| part == CHECK) {
                        checks.insert(name);
                    } else {
                        checks.remove(&name);
                    }
                }
                // Bind: name of the portal, and of the statement that it will execute.
                b'B' => is_check = checks.contains(&strings(&message)[1]),
                // Execute.
                b'E' if is_check => self.add(0, 0, 1),
                b'E' => since_sync += 1,
                // Query: a statement without parameters, at once. Sync: the end of one that was executed.
                b'Q' | b'S' => {
                    let statements = if kind == b'Q' { 1 } else { since_sync };
                    let waited = statements > 0 && answered.swap(false, Ordering::SeqCst);
                    self.add(statements, u32::from(waited), 0);
                    since_sync = 0;
                }
                _ => {}
            }
        }
    }
}

/// Forwards the messages of a server.
async fn answer(
    from: impl AsyncRead + Unpin,
    mut to: impl AsyncWriteExt + Unpin,
    answered: &AtomicBool,
) -> std::io::Result<()> {
    let mut from = BufReader::new(from);
    loop {
        let kind = from.read_u8().await?;
        let message = read_body(&mut from, vec![kind]).await?;
        answered.store(true, Ordering::SeqCst);
        to.write_all(&message).await?;
    }
}

/// The two strings at the beginning of a message, after its type and length.
fn strings(message: &[u8]) -> [Vec<u8>; 2] {
    let mut strings = message[5..].split(|byte| *byte == 0).map(<[u8]>::to_vec);
    [strings.next().unwrap(), strings.next().unwrap()]
}

/// The length and the rest of a message, after its type.
async fn read_body(from: &mut (impl AsyncRead + Unpin), mut message: Vec<u8>) -> std::io::Result<Vec<u8>> {
    let length = from.read_u32().await?;
    message.extend_from_slice(&length.to_be_bytes());
    let begin = message.len();
    message.resize(begin + usize::try_from(length).unwrap() - 4, 0);
    from.read_exact(&mut message[begin..]).await?;
    Ok(message)
}
