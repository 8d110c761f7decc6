//! A PostgreSQL with TLS, certificates of the tests' own, and users who are let in by different rules.

use std::path::{Path, PathBuf};
use std::time::Duration;

use diesel::sql_types::{Bool, Text};
use diesel_async::{RunQueryDsl, SimpleAsyncConnection};
use local_postgres::TestCluster;
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};

/// Everybody's password.
const PASSWORD: &str = "correct-horse";

/// Who is let in how. `by_certificate` needs no password.
const RULES: &str = "local all all trust
host all anybody 127.0.0.1/32 scram-sha-256
hostssl all only_tls 127.0.0.1/32 scram-sha-256
hostnossl all never_tls 127.0.0.1/32 scram-sha-256
hostssl all without_password 127.0.0.1/32 trust
hostssl all with_certificate 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
hostssl all by_certificate 127.0.0.1/32 cert
";
const USERS: [&str; 6] =
    ["anybody", "only_tls", "never_tls", "without_password", "with_certificate", "by_certificate"];

/// A CA, and what it signs.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM.
pub(crate) struct Signed {
    pub(crate) certificate: String,
    pub(crate) key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn certificate(&self) -> String {
        self.0.pem()
    }

    /// Its own certificate, as if it were that of a server.
    pub(crate) fn itself(&self) -> Signed {
        Signed { certificate: self.0.pem(), key: self.0.key().serialize_pem() }
    }

    /// A certificate for a host, good until the end of a year.
    pub(crate) fn host(&self, name: &str, year: i32) -> Signed {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.not_before, params.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(year, 12, 31));
        self.sign(&params)
    }

    /// A client certificate of a user.
    pub(crate) fn user(&self, name: &str) -> Signed {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        self.sign(&params)
    }

    fn sign(&self, params: &CertificateParams) -> Signed {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.0).unwrap().pem();
        Signed { certificate, key: key.serialize_pem() }
    }
}

/// A directory with files of the client.
pub(crate) struct Files(PathBuf);

impl Files {
    pub(crate) fn new(name: &str) -> Self {
        let directory = PathBuf::from(format!("/tmp/yaniv-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }

    /// Writes a file and returns its path.
    pub(crate) fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).unwrap();
        self.path(name)
    }

    pub(crate) fn path(&self, name: &str) -> String {
        Path::display(&self.0.join(name)).to_string()
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) struct Server(TestCluster);

impl Server {
    /// A server without TLS.
    pub(crate) async fn start() -> Self {
        let server = Self(TestCluster::start_on_tcp().unwrap());
        for user in USERS {
            server.run(&format!("CREATE ROLE {user} LOGIN PASSWORD '{PASSWORD}'")).await;
        }
        server.run("CREATE DATABASE yaniv OWNER anybody").await;
        server.write("pg_hba.conf", RULES).await;
        server.reload().await;
        server
    }

    /// Switches TLS on, for clients whose certificates this CA has signed.
    pub(crate) async fn switch_tls_on(&self, signed: &Signed, clients: &Authority) {
        self.write("clients.crt", &clients.certificate()).await;
        self.run("ALTER SYSTEM SET ssl_ca_file = 'clients.crt'").await;
        self.run("ALTER SYSTEM SET ssl = on").await;
        self.show(signed).await;
    }

    /// Gives the server another certificate, for connections from now on.
    pub(crate) async fn show(&self, signed: &Signed) {
        self.write("server.crt", &signed.certificate).await;
        self.write("server.key", &signed.key).await;
        self.reload().await;
    }

    /// Its URL with these parameters; the name is that of its certificates.
    pub(crate) fn url(&self, user: &str, parameters: &str) -> String {
        self.url_of("localhost", user, parameters)
    }

    /// The same by another host name for the same address.
    pub(crate) fn url_of(&self, host: &str, user: &str, parameters: &str) -> String {
        let port = self.port();
        format!("postgres://{user}:{PASSWORD}@{host}:{port}/yaniv?hostaddr=127.0.0.1&{parameters}")
    }

    pub(crate) fn port(&self) -> u16 {
        self.0.port()
    }

    /// Runs a statement as superuser.
    pub(crate) async fn run(&self, statement: &str) {
        let mut connection = yaniv_db::connect(&self.0.url("postgres")).await.unwrap();
        connection.batch_execute(statement).await.unwrap();
    }

    /// Writes a file of the server, as its user.
    async fn write(&self, name: &str, text: &str) {
        let lines = format!("SELECT unnest(string_to_array($${text}$$, E'\\n'))");
        self.run(&format!("COPY ({lines}) TO PROGRAM 'umask 077; cat > {name}'")).await;
    }

    /// Lets the server's main process read its files again, and waits until it has.
    async fn reload(&self) {
        let before = self.loaded().await;
        self.run("SELECT pg_reload_conf()").await;
        while self.loaded().await == before {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// When the files were read that a new session knows.
    async fn loaded(&self) -> String {
        let mut connection = yaniv_db::connect(&self.0.url("postgres")).await.unwrap();
        let loaded = diesel::sql_query("SELECT pg_conf_load_time()::text AS at");
        loaded.get_result::<Loaded>(&mut connection).await.unwrap().at
    }
}

#[derive(diesel::QueryableByName)]
struct Loaded {
    #[diesel(sql_type = Text)]
    at: String,
}

#[derive(diesel::QueryableByName)]
struct Session {
    #[diesel(sql_type = Bool)]
    ssl: bool,
}

/// Connects as the service does: whether the session is encrypted, or the error.
pub(crate) async fn encrypted(url: &str) -> Result<bool, String> {
    let mut connection = yaniv_db::connect(url).await.map_err(|error| error.to_string())?;
    let session: Session = diesel::sql_query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        .get_result(&mut connection)
        .await
        .unwrap();
    Ok(session.ssl)
}
