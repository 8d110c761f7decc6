//! What a release left: its database, what its API answered, and the SQL statements that it sends.

use std::path::PathBuf;

use local_postgres::TestDatabase;
use serde_json::Value;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// The files of a release in `releases`.
pub(crate) struct Release {
    pub(crate) version: String,
    /// Tokens, matches, and answers at the end.
    pub(crate) facts: Value,
}

impl Release {
    /// All releases that have been recorded.
    pub(crate) fn all() -> Vec<Self> {
        let names = std::fs::read_dir("tests/upgrades/releases").unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let versions = names.filter_map(|name| name.strip_suffix(".sql.zst").map(str::to_owned));
        let releases: Vec<Self> = versions.map(Self::read).collect();
        assert!(!releases.is_empty());
        releases
    }

    fn read(version: String) -> Self {
        let facts = serde_json::from_str(&unpacked(&version, "json.zst")).unwrap();
        Self { version, facts }
    }

    pub(crate) fn password(&self) -> &str {
        self.facts["password"].as_str().unwrap()
    }

    /// A database as the release left it. Its sessions and tokens have not ended in the meantime.
    pub(crate) async fn restore(&self) -> TestDatabase {
        let create = tokio::task::spawn_blocking(|| TestDatabase::create("empty", |_| Ok(())).unwrap());
        let database = create.await.unwrap();
        let later = "SET search_path = public; \
             UPDATE sessions SET expires_at = now() + interval '30 days', last_used_at = now(); \
             UPDATE personal_tokens SET expires_at = now() + interval '30 days'";
        let client = connect(database.url()).await;
        client.batch_execute(&unpacked(&self.version, "sql.zst")).await.unwrap();
        client.batch_execute(later).await.unwrap();
        database
    }

    /// The statements of the release, each once, with parameters that it sent.
    pub(crate) fn statements(&self) -> Vec<Statement> {
        let text = unpacked(&self.version, "statements.zst");
        text.lines().map(|line| Statement::read(&serde_json::from_str(line).unwrap())).collect()
    }

    /// The program of the release, if the directory in `RELEASED_PROGRAMS` has it under its version.
    pub(crate) fn program(&self) -> Option<PathBuf> {
        let path = PathBuf::from(std::env::var_os("RELEASED_PROGRAMS")?).join(&self.version);
        path.is_file().then_some(path)
    }
}

fn unpacked(version: &str, ending: &str) -> String {
    let packed = std::fs::read(format!("tests/upgrades/releases/{version}.{ending}")).unwrap();
    String::from_utf8(zstd::decode_all(packed.as_slice()).unwrap()).unwrap()
}

/// A connection with the settings of the service's.
pub(crate) async fn connect(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
        .batch_execute("SET lock_timeout = '3s'; SET statement_timeout = '10s'; SET timezone = 'UTC'")
        .await
        .unwrap();
    client
}

/// A statement of a release.
#[derive(Clone)]
pub(crate) struct Statement {
    pub(crate) sql: String,
    types: String,
    parameters: String,
}

impl Statement {
    fn read(line: &Value) -> Self {
        let literal = |value: &Value| {
            let text = value.as_str().map(|text| text.replace('\'', "''"));
            text.map_or_else(|| "NULL".to_owned(), |text| format!("'{text}'"))
        };
        let list = |items: Vec<String>| match items.len() {
            0 => String::new(),
            _ => format!("({})", items.join(", ")),
        };
        let items = |name: &str| line[name].as_array().unwrap().iter();
        Self {
            sql: line["sql"].as_str().unwrap().to_owned(),
            types: list(items("types").map(|name| name.as_str().unwrap().to_owned()).collect()),
            parameters: list(items("parameters").map(literal).collect()),
        }
    }

    /// Runs it in a transaction that is rolled back: the number of rows, or the code of the error.
    pub(crate) async fn outcome(&self, client: &Client) -> String {
        client.batch_execute("BEGIN").await.unwrap();
        let tried = self.run(client).await;
        client.batch_execute("ROLLBACK; DEALLOCATE ALL").await.unwrap();
        tried.map_or_else(
            |error| error.code().map_or_else(|| error.to_string(), |code| code.code().to_owned()),
            |rows| format!("{rows} rows"),
        )
    }

    /// The number of rows that it returned or changed.
    async fn run(&self, client: &Client) -> Result<u64, tokio_postgres::Error> {
        client.batch_execute(&format!("PREPARE one{} AS {}", self.types, self.sql)).await?;
        let messages = client.simple_query(&format!("EXECUTE one{}", self.parameters)).await?;
        let rows = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::CommandComplete(rows) => Some(*rows),
            _ => None,
        });
        Ok(rows.unwrap())
    }
}
