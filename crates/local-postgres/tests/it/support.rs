//! Shared test helpers: temporary directories, and statements run from outside the crate.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use tokio_postgres::{NoTls, SimpleQueryMessage};

/// A directory that is removed with the test, together with the servers on it.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("lp-{}-{count}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    /// The process id of the server on this directory.
    pub(crate) fn postmaster(&self) -> i32 {
        let pids: Vec<i32> = pid_files(&self.0)
            .iter()
            .map(|file| fs::read_to_string(file).unwrap().lines().next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(pids.len(), 1, "one server in {}", self.0.display());
        pids[0]
    }

    pub(crate) fn has_server(&self) -> bool {
        !pid_files(&self.0).is_empty()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Ok(cluster) = local_postgres::Cluster::start(&self.0) {
            let _ = cluster.stop();
        }
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn pid_files(dir: &Path) -> Vec<PathBuf> {
    let homes = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    homes.map(|home| home.join("data/postmaster.pid")).filter(|file| file.exists()).collect()
}

/// Runs statements and returns the first column of the rows.
pub(crate) fn sql(url: &str, statements: &str) -> Result<Vec<String>, tokio_postgres::Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
        let connection = tokio::spawn(connection);
        let messages = client.simple_query(statements).await?;
        drop(client);
        let _ = connection.await;
        Ok(messages
            .iter()
            .filter_map(|message| match message {
                SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
                _ => None,
            })
            .collect())
    })
}

pub(crate) fn kill(signal: &str, pid: i32) {
    assert!(std::process::Command::new("kill").args([signal, &pid.to_string()]).status().unwrap().success());
}
