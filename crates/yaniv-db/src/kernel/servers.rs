//! The servers that a database URL names: which one is used.
//!
//! It is the first that accepts writes and has the newest timeline (`timelines`). Where the URL names several, all are
//! looked at before the first connection and every five seconds, because the first that accepts writes may be an old
//! primary.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use futures_util::future::join_all;
use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::time::timeout;

use super::database_url::DatabaseUrl;
use super::timelines::{Timelines, Unfit};

/// How long a server may take to answer when all are looked at: shorter than a pool waits for a connection.
const PATIENCE: Duration = Duration::from_secs(1);
/// Interval at which all servers are looked at.
const LOOK: Duration = Duration::from_secs(5);

/// The servers of one URL.
#[derive(Debug)]
pub(crate) struct Servers {
    url: String,
    /// Names for the log, in the order of the URL; at least one.
    names: Vec<String>,
    /// The one to try first.
    first: AtomicUsize,
    looked: OnceCell<()>,
    timelines: Timelines,
}

impl Servers {
    /// Those of a URL; if it is malformed, opening a connection says so.
    pub(crate) fn new(url: &str) -> Self {
        let mut names = url.parse::<DatabaseUrl>().map(|url| url.hosts()).unwrap_or_default();
        if names.is_empty() {
            names.push("the server".to_owned());
        }
        let (first, looked, timelines) = (AtomicUsize::new(0), OnceCell::new(), Timelines::default());
        Self { url: url.to_owned(), names, first, looked, timelines }
    }

    /// Looks at all servers again and again, until these are dropped. With a single one there is nothing to look at.
    pub(crate) fn watch(self: &Arc<Self>, runtime: &Handle) {
        if self.names.len() > 1 {
            runtime.spawn(look_again(Arc::downgrade(self)));
        }
    }

    /// Opens a connection to the server to be used, and returns the server's index as well.
    pub(crate) async fn open(&self) -> Result<(AsyncPgConnection, usize), ConnectionError> {
        if self.names.len() > 1 {
            self.looked.get_or_init(|| self.look()).await;
        }
        let first = self.first.load(Ordering::Relaxed);
        let mut failures = Vec::new();
        for server in (first..self.names.len()).chain(0..first) {
            let failure = match self.connect(server).await {
                Ok(mut connection) => match self.check(server, &mut connection).await {
                    Ok(()) => {
                        self.first.store(server, Ordering::Relaxed);
                        return Ok((connection, server));
                    }
                    Err(unfit) => ConnectionError::BadConnection(unfit.to_string()),
                },
                Err(error) => error,
            };
            failures.push((server, failure));
        }
        match <[_; 1]>::try_from(failures) {
            Ok([(_, only)]) => Err(only),
            Err(failures) => {
                let texts =
                    failures.iter().map(|(server, failure)| format!("{}: {failure}", self.name(*server)));
                Err(ConnectionError::BadConnection(texts.collect::<Vec<_>>().join("; ")))
            }
        }
    }

    /// Checks that a server still answers, accepts writes and is of the newest timeline.
    pub(crate) async fn check(&self, server: usize, connection: &mut AsyncPgConnection) -> Result<(), Unfit> {
        let state = self.timelines.ask(connection).await?;
        self.timelines.admit(state, self.name(server), connection).await
    }

    /// Whether an old primary was refused within the last minute.
    pub(crate) fn refuse_one(&self) -> bool {
        self.timelines.refuses()
    }

    /// Looks at all servers, and keeps the one to use.
    async fn look(&self) {
        let asked = (0..self.names.len()).map(async |server| {
            let mut connection = timeout(PATIENCE, self.connect(server)).await.ok()?.ok()?;
            let state = timeout(PATIENCE, self.timelines.ask(&mut connection)).await.ok()?.ok()?;
            Some((server, state, connection))
        });
        // Of all before the first is judged: then the newest timeline is known.
        let answered = join_all(asked).await;
        let mut fit = Vec::new();
        for (server, state, mut connection) in answered.into_iter().flatten() {
            let admitted = timeout(PATIENCE, self.timelines.admit(state, self.name(server), &mut connection));
            if matches!(admitted.await, Ok(Ok(()))) {
                fit.push(server);
            }
        }
        if !fit.contains(&self.first.load(Ordering::Relaxed))
            && let Some(server) = fit.first()
        {
            self.first.store(*server, Ordering::Relaxed);
        }
    }

    async fn connect(&self, server: usize) -> Result<AsyncPgConnection, ConnectionError> {
        let url: DatabaseUrl = self.url.parse().map_err(ConnectionError::InvalidConnectionUrl)?;
        crate::connect_to(if self.names.len() > 1 { url.at(server) } else { url }).await
    }

    fn name(&self, server: usize) -> &str {
        self.names.get(server).map_or("the server", String::as_str)
    }
}

async fn look_again(servers: Weak<Servers>) {
    loop {
        tokio::time::sleep(LOOK).await;
        let Some(servers) = servers.upgrade() else { return };
        servers.look().await;
    }
}
