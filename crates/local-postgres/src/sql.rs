//! Connections to a server: URLs, quoting, and statements run from synchronous code.

use std::path::Path;
use std::thread;

use tokio_postgres::{NoTls, SimpleQueryMessage};

use crate::error::Error;

/// The superuser of all our clusters.
pub(crate) const USER: &str = "postgres";

/// The first columns of all rows; NULL is an empty string.
pub(crate) type Rows = Vec<Vec<String>>;

/// The URL of a database, for libpq and tokio-postgres.
pub(crate) fn url(socket_dir: &Path, port: u16, database: &str) -> String {
    let host = encode(socket_dir.as_os_str().as_encoded_bytes());
    format!("postgres:///{}?host={host}&port={port}&user={USER}", encode(database.as_bytes()))
}

/// The URL of a database on whichever of two servers accepts writes.
pub(crate) fn url_of_either(places: [(&Path, u16); 2], database: &str) -> String {
    let host = |dir: &Path| encode(dir.as_os_str().as_encoded_bytes()).replace('/', "%2F");
    let [first, second] = places.map(|(dir, port)| format!("{}:{port}", host(dir)));
    let database = encode(database.as_bytes());
    format!("postgres://{USER}@{first},{second}/{database}?target_session_attrs=read-write")
}

/// Runs statements one after the other on one connection and returns the rows of all.
///
/// The connection has its own thread, since the caller may already be inside an asynchronous runtime.
pub(crate) fn run(url: &str, statements: &[String], doing: impl FnOnce() -> String) -> Result<Rows, Error> {
    let rows = thread::scope(|scope| {
        let session = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map(|runtime| runtime.block_on(session(url, statements)))
        });
        session.join()
    });
    match rows {
        Ok(Ok(Ok(rows))) => Ok(rows),
        Ok(Ok(Err(source))) => Err(Error::Sql { doing: doing(), source }),
        Ok(Err(source)) => Err(Error::Io { doing: doing(), source }),
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

async fn session(url: &str, statements: &[String]) -> Result<Rows, tokio_postgres::Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    let connection = tokio::spawn(connection);
    let mut rows = Rows::new();
    for statement in statements {
        let messages = client.simple_query(statement).await?;
        rows.extend(messages.iter().filter_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some((0..row.len()).map(|column| row.get(column).unwrap_or_default().to_owned()).collect())
            }
            _ => None,
        }));
    }
    drop(client);
    // A connection that is still closing would keep a database from being copied or dropped.
    let _ = connection.await;
    Ok(rows)
}

/// Quotes an identifier.
pub(crate) fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Quotes a string.
pub(crate) fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether the server reported that the name already exists.
pub(crate) fn already_exists(error: &Error) -> bool {
    // When two sessions create the same database concurrently, one may get as far as the unique index.
    let codes = ["42P04", "23505"];
    matches!(error, Error::Sql { source, .. } if source.code().is_some_and(|code| codes.contains(&code.code())))
}

/// Percent-encodes all but safe characters.
fn encode(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, &byte| {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::str::FromStr;

    use tokio_postgres::config::{Host, TargetSessionAttrs};

    use super::{identifier, literal, url, url_of_either};

    #[test]
    fn an_odd_path_and_an_odd_name_survive_the_address() {
        let dir = Path::new("/tmp/a b&c=d?é%");

        let config = tokio_postgres::Config::from_str(&url(dir, 5432, "x/y \"z\"")).unwrap();

        assert_eq!(config.get_hosts(), [Host::Unix(dir.to_path_buf())]);
        assert_eq!(config.get_dbname(), Some("x/y \"z\""));
        assert_eq!(config.get_user(), Some("postgres"));
    }

    #[test]
    fn an_address_can_name_two_servers() {
        let places = [(Path::new("/tmp/a b"), 5432), (Path::new("/tmp/c"), 5433)];

        let config = tokio_postgres::Config::from_str(&url_of_either(places, "app")).unwrap();

        assert_eq!(config.get_hosts(), places.map(|(dir, _)| Host::Unix(dir.to_path_buf())));
        assert_eq!(config.get_ports(), [5432, 5433]);
        assert_eq!(config.get_target_session_attrs(), TargetSessionAttrs::ReadWrite);
    }

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(identifier("a\"b"), "\"a\"\"b\"");
        assert_eq!(literal("a'b"), "'a''b'");
    }
}
