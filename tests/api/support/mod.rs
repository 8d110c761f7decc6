//! Test helpers: a service for one test, and players that use it like any client.

pub(crate) mod authenticator;
pub(crate) mod contract;
pub(crate) mod held_up;
pub(crate) mod looks;
pub(crate) mod player;
pub(crate) mod receiver;
pub(crate) mod secrets;
pub(crate) mod settings;
pub(crate) mod statements;
pub(crate) mod story;
pub(crate) mod strategy;
pub(crate) mod stream;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use diesel_async::RunQueryDsl;
use local_postgres::TestDatabase;
use serde_json::{Value, json};
use yaniv::app;
use yaniv::config::ServeOptions;
use yaniv_app::accounts::sign_up_policy::SignUp;
use yaniv_db::kernel::migrations;
use yaniv_http::Origins;

pub(crate) use contract::Answer;
pub(crate) use player::Player;
pub(crate) use settings::settings_of;
use statements::Statements;

/// Public address of the service of the story.
pub(crate) const PUBLIC_URL: &str = "https://yaniv.example";

/// A service on a free port with its own database; both are removed on drop.
pub(crate) struct TestApp {
    pub(crate) address: SocketAddr,
    pub(crate) database: TestDatabase,
    /// What it sends to its database, if that is counted.
    pub(crate) statements: Option<Statements>,
    server: actix_web::dev::ServerHandle,
}

impl TestApp {
    /// A service with its own database.
    pub(crate) async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// The same, with other options.
    pub(crate) async fn start_with(change: impl FnOnce(&mut ServeOptions)) -> Self {
        held_up::watch();
        let database = tokio::task::spawn_blocking(new_database).await.unwrap();
        let mut options = options();
        change(&mut options);
        let (address, server) = serve(&options, database.url()).await;
        Self { address, database, statements: None, server }
    }

    /// The same; what it sends to its database is counted.
    pub(crate) async fn start_counted() -> Self {
        held_up::watch();
        let database = tokio::task::spawn_blocking(new_database).await.unwrap();
        let statements = Statements::default();
        let options = ServeOptions { public_url: Some(PUBLIC_URL.to_owned()), ..options() };
        let (address, server) = serve(&options, &statements.watch(database.url()).await).await;
        // The search of answers for secrets reads the database, and is not to be counted.
        secrets::serves(address, database.url());
        Self { address, database, statements: Some(statements), server }
    }

    /// Another instance on the same database.
    pub(crate) async fn second(&self) -> SocketAddr {
        serve(&options(), self.database.url()).await.0
    }

    /// The URL of a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A new player, registered and logged in.
    pub(crate) async fn player(&self, name: &str) -> Player {
        Player::register(self.address, name).await
    }

    /// Runs a statement on the database, past the service.
    pub(crate) async fn run(&self, statement: &str) {
        self.changed(statement).await;
    }

    /// Makes every cached match outdated, after a statement has changed one past the service.
    pub(crate) async fn outdate_cached_matches(&self) {
        self.run("UPDATE match_states SET updated_at = updated_at + interval '1 microsecond'").await;
    }

    /// Runs a statement past the service; returns the number of changed rows.
    pub(crate) async fn changed(&self, statement: &str) -> usize {
        let mut connection = yaniv_db::connect(self.database.url()).await.unwrap();
        diesel::sql_query(statement).execute(&mut connection).await.unwrap()
    }

    /// A number from the database.
    pub(crate) async fn count(&self, query: &str) -> i64 {
        #[derive(diesel::QueryableByName)]
        struct Row {
            #[diesel(sql_type = diesel::sql_types::BigInt)]
            count: i64,
        }
        let mut connection = yaniv_db::connect(self.database.url()).await.unwrap();
        let row: Row = diesel::sql_query(query).get_result(&mut connection).await.unwrap();
        row.count
    }

    /// This many players, `player_0`, `player_1`, …
    pub(crate) async fn players(&self, count: usize) -> Vec<Player> {
        let names: Vec<String> = (0..count).map(|seat| format!("player_{seat}")).collect();
        let registering = names.iter().map(|name| self.player(name));
        futures_util::future::join_all(registering).await
    }

    /// A started match of these players; returns the first player's view.
    pub(crate) async fn started(&self, players: &[Player], rules: Value) -> Value {
        let body = json!({"size": players.len(), "rules": rules, "client_seed": "seed-0"});
        self.started_by(players, &body).await
    }

    /// The same, created with this body.
    pub(crate) async fn started_by(&self, players: &[Player], body: &Value) -> Value {
        let created = players[0].create(body).await.expect(201);
        for (seat, player) in players.iter().enumerate().skip(1) {
            player.join(created["join_code"].as_str().unwrap(), &format!("seed-{seat}")).await.expect(201);
        }
        players[0].start(id(&created)).await.expect(200)
    }
}

impl Drop for TestApp {
    fn drop(&mut self) {
        drop(self.server.stop(false));
    }
}

pub(crate) async fn serve(
    options: &ServeOptions,
    database_url: &str,
) -> (SocketAddr, actix_web::dev::ServerHandle) {
    let mut started = app::start(options, database_url).await;
    // While the machine stalls, a start may not reach the database in time.
    while started.is_err() && held_up::lately().await {
        started = app::start(options, database_url).await;
    }
    let running = started.unwrap();
    let (address, handle) = (running.address, running.server.handle());
    secrets::serves(address, database_url);
    tokio::spawn(running.serve());
    (address, handle)
}

/// Options of all services here: small, and without rate limits, as all players of a test share one address.
pub(crate) fn options() -> ServeOptions {
    ServeOptions {
        listen: "127.0.0.1:0".parse().unwrap(),
        metrics_listen: None,
        database_url: None,
        database_url_file: None,
        database_connections: 4,
        token_secret: None,
        token_secret_file: None,
        match_memory: 1,
        connections: 1024,
        streams: 100,
        heartbeat: 1,
        workers: 1,
        rate_limits: false,
        trusted_proxies: Vec::new(),
        public_url: None,
        join_link: None,
        web_client: true,
        sign_up: SignUp::Open,
        sandboxes: true,
        archive_after: None,
        cors_origins: Origins::default(),
        push_key: None,
        push_key_file: None,
        smtp_url: None,
        smtp_url_file: None,
        email_codes: 200,
        oidc_issuer: None,
        oidc_client_id: None,
        oidc_client_secret: None,
        oidc_client_secret_file: None,
        oidc_name: "OpenID".to_owned(),
        oidc_auth_time: true,
        mail_from: None,
        contact: None,
        private_destinations: true,
        log_format: "text".to_owned(),
    }
}

/// Whether all checks are wanted (`.ci/run all`), not only those that each change needs.
pub(crate) fn checks_all() -> bool {
    std::env::var_os("YANIV_CHECKS").is_some_and(|checks| checks == "all")
}

/// A migrated database, cloned from a template that is created once for each state of the migrations.
pub(crate) fn new_database() -> TestDatabase {
    let migrate = |url: &str| {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        runtime.block_on(migrations::prepare(url)).map_err(|error| error.to_string())
    };
    // On a separate thread: the caller may be inside a runtime, which must not be nested.
    std::thread::spawn(move || TestDatabase::create(&migrations_key(), migrate)).join().unwrap().unwrap()
}

fn migrations_key() -> String {
    let mut hash = DefaultHasher::new();
    let mut files: Vec<_> = walk("migrations".as_ref());
    files.sort();
    for file in files {
        file.hash(&mut hash);
        std::fs::read(file).unwrap().hash(&mut hash);
    }
    format!("{:016x}", hash.finish())
}

fn walk(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// Waits until a condition holds, for two minutes: busy machines are slow.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..12 {
        if comes(&mut holds).await {
            return;
        }
    }
    panic!("not within two minutes: {what}");
}

/// Whether a condition becomes true within ten seconds.
pub(crate) async fn comes(mut holds: impl AsyncFnMut() -> bool) -> bool {
    for _ in 0..200 {
        if holds().await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}

/// Waits for what a new instance does at its start. Each tries it once, and again only after an hour: if it fails,
/// another instance is started.
pub(crate) async fn until_swept(app: &TestApp, what: &str, mut holds: impl AsyncFnMut() -> bool) {
    for _ in 0..2 {
        if comes(&mut holds).await {
            return;
        }
        app.second().await;
    }
    until(what, holds).await;
}

/// Waits for up to a second until a condition holds; on a stalled machine, for as many checks as a second has.
pub(crate) async fn within_a_second(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    let mut looks = 0;
    while !holds().await {
        looks += 1;
        assert!(looks < 80 || begun.elapsed() < Duration::from_secs(1), "not within a second: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The id of a match.
pub(crate) fn id(view: &Value) -> &str {
    let named = |(name, _): &(&String, &Value)| name.ends_with("_id");
    view.as_object().unwrap().iter().find(named).unwrap().1.as_str().unwrap()
}

/// The version of a match.
pub(crate) fn version(view: &Value) -> i64 {
    view["version"].as_i64().unwrap()
}
