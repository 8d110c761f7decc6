//! A database for each test, copied from a template on the shared server, see `shared_server`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};

use crate::dirs::hex;
use crate::error::Error;
use crate::postmaster::is_alive;
use crate::shared_server::{SharedServer, hold, moment};
use crate::sql;

/// How long connections of `prepare` may take to close.
const GOODBYE_PATIENCE: Duration = Duration::from_secs(10);

/// A database of one test, dropped with this value.
///
/// All test processes of a user share one server. It is not durable, and stops three minutes after the last process
/// that used it (also while a debugger holds that process).
#[derive(Debug)]
pub struct TestDatabase {
    server: Arc<SharedServer>,
    name: String,
    url: String,
}

impl TestDatabase {
    /// Creates a fresh database from a template.
    ///
    /// `key` names the template, for example by a hash of the migrations. For each key `prepare` is called once, by the
    /// first process, with the URL of the empty template; it must leave no connection open.
    ///
    /// # Errors
    /// [`Error::Prepare`] if `prepare` fails, else errors of the server.
    pub fn create(key: &str, prepare: impl FnOnce(&str) -> Result<(), String>) -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = SharedServer::acquire()?;
        sweep_once(&server);
        let template = format!("template_{}", hex(&Sha256::digest(key), 24));
        ensure_template(&server, &template, prepare)?;
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("test_{}_{count}_{:x}", std::process::id(), moment());
        // Copying files is the faster strategy where nothing waits for the disk.
        let copy = format!(
            "CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy",
            sql::identifier(&name),
            sql::identifier(&template)
        );
        sql::run(&server.postmaster.url(sql::USER), &[copy], || "copy the template database".to_owned())?;
        let url = server.postmaster.url(&name);
        Ok(Self { server, name, url })
    }

    /// Its URL.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        drop_database(&self.server, &self.name);
    }
}

/// Creates the template unless it exists; it is marked as a template only when complete.
fn ensure_template(
    server: &SharedServer,
    name: &str,
    prepare: impl FnOnce(&str) -> Result<(), String>,
) -> Result<(), Error> {
    if hold(&server.templates).contains(name) {
        return Ok(());
    }
    let _turn = server.lock(name)?;
    let doing = || "prepare the template database".to_owned();
    let admin = server.postmaster.url(sql::USER);
    let complete =
        format!("SELECT 1 FROM pg_database WHERE datistemplate AND datname = {}", sql::literal(name));
    if sql::run(&admin, &[complete], doing)?.is_empty() {
        let identifier = sql::identifier(name);
        let again = format!("DROP DATABASE IF EXISTS {identifier} WITH (FORCE)");
        let create = format!("CREATE DATABASE {identifier} TEMPLATE template0 STRATEGY file_copy");
        sql::run(&admin, &[again, create], doing)?;
        prepare(&server.postmaster.url(name)).map_err(Error::Prepare)?;
        wait_for_goodbyes(&admin, name)?;
        let finish = format!("ALTER DATABASE {identifier} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false");
        sql::run(&admin, &[finish], doing)?;
    }
    hold(&server.templates).insert(name.to_owned());
    Ok(())
}

/// Waits until no session is connected to a database: a closed connection takes a moment to end.
fn wait_for_goodbyes(admin: &str, name: &str) -> Result<(), Error> {
    let connected = format!("SELECT pid FROM pg_stat_activity WHERE datname = {}", sql::literal(name));
    let deadline = Instant::now() + GOODBYE_PATIENCE;
    while !sql::run(admin, std::slice::from_ref(&connected), || "look for open connections".to_owned())?
        .is_empty()
    {
        if Instant::now() > deadline {
            return Err(Error::Prepare("a connection to it is still open".to_owned()));
        }
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// Drops the databases of dead processes, when this process first uses the server.
fn sweep_once(server: &SharedServer) {
    if std::mem::replace(&mut *hold(&server.swept), true) {
        return;
    }
    let all = "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%'".to_owned();
    let Ok(rows) = sql::run(&server.postmaster.url(sql::USER), &[all], String::new) else {
        return;
    };
    for name in rows.iter().filter_map(|row| row.first()).filter(|name| is_left_over(name)) {
        drop_database(server, name);
    }
}

/// Whether the process in a database's name is dead.
fn is_left_over(name: &str) -> bool {
    let pid =
        name.strip_prefix("test_").and_then(|rest| rest.split('_').next()).and_then(|pid| pid.parse().ok());
    pid.is_some_and(|pid| !is_alive(pid))
}

/// Tries to drop a database: what remains goes with the server.
fn drop_database(server: &SharedServer, name: &str) {
    let drop = format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", sql::identifier(name));
    let _ = sql::run(&server.postmaster.url(sql::USER), &[drop], String::new);
}

#[cfg(test)]
mod tests {
    use super::is_left_over;

    #[test]
    fn only_a_database_of_a_dead_process_is_left_over() {
        assert!(!is_left_over(&format!("test_{}_0_ff", std::process::id())));
        assert!(is_left_over(&format!("test_{}_0_ff", i32::MAX)));
        assert!(!is_left_over("test_of_somebody_else"));
    }
}
