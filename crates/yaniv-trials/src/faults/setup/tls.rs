//! TLS between the instances and the database: a certificate of the trial's own, which the instances check.

use std::path::{Path, PathBuf};

use local_postgres::TestCluster;
use rcgen::CertifiedKey;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

use super::database::Database;
use crate::Error;

/// The name in the certificate.
const NAME: &str = "localhost";
/// The password of the superuser. By TCP nobody gets in without it, or without TLS.
const PASSWORD: &str = "correct-horse";
const RULES: &str = "local all all trust
local replication all trust
hostssl all all 127.0.0.1/32 scram-sha-256
";

/// A self-signed certificate of all databases of a run.
pub struct Tls {
    signed: CertifiedKey<rcgen::KeyPair>,
    /// The certificate as a file, for the instances.
    file: PathBuf,
}

impl Tls {
    /// A new certificate, with a file in this directory.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(directory: &Path) -> Result<Self, Error> {
        let signed = rcgen::generate_simple_self_signed([NAME.to_owned()])?;
        let file = directory.join("database.pem");
        std::fs::write(&file, signed.cert.pem())?;
        Ok(Self { signed, file })
    }

    /// Lets a server that listens on TCP accept the instances there, by TLS only.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn switch_on(&self, mut cluster: TestCluster) -> Result<TestCluster, Error> {
        let database = Database::connect(&cluster.url("postgres")).await?;
        for (name, text) in [
            ("pg_hba.conf", RULES),
            ("server.crt", &self.signed.cert.pem()),
            ("server.key", &self.signed.signing_key.serialize_pem()),
        ] {
            let lines = format!("SELECT unnest(string_to_array($${text}$$, E'\\n'))");
            database.run(&format!("COPY ({lines}) TO PROGRAM 'umask 077; cat > {name}'")).await?;
        }
        database.run("ALTER SYSTEM SET ssl = on").await?;
        database.run(&format!("ALTER ROLE postgres PASSWORD '{PASSWORD}'; CHECKPOINT")).await?;
        drop(database);
        cluster.kill9()?;
        cluster.restart()?;
        Ok(cluster)
    }

    /// The URL by which instances reach a database, from the URL of its sockets.
    ///
    /// # Errors
    /// If that is no such URL.
    pub fn url(&self, sockets: &str) -> Result<String, Error> {
        let config: Config = sockets.parse()?;
        let ports = config.get_ports();
        // A server has the same port number for its socket.
        let hosts = config.get_hosts().iter().enumerate().map(|(number, host)| match host {
            Host::Unix(_) => ports.get(number).or(ports.first()).copied().ok_or("a host without a port"),
            Host::Tcp(_) => Err("a host that is no socket"),
        });
        let ports = hosts.collect::<Result<Vec<_>, _>>()?;
        let hosts: Vec<_> = ports.iter().map(|port| format!("{NAME}:{port}")).collect();
        let addresses = vec!["127.0.0.1"; ports.len()].join(",");
        Ok(format!(
            "postgres://postgres:{PASSWORD}@{}/{}?hostaddr={addresses}&sslmode=verify-full&sslrootcert={}\
             &channel_binding=require{}",
            hosts.join(","),
            config.get_dbname().ok_or("a URL without a database")?,
            self.file.display(),
            if ports.len() > 1 { "&target_session_attrs=read-write" } else { "" },
        ))
    }
}
