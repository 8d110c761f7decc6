//! TLS to PostgreSQL: what each parameter of the database's URL does, against a real server, and the texts of errors.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

mod server;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use server::{Authority, Files, Server, Signed, encrypted};

/// Timeout, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Client and server in one test, since a server takes seconds to make.
#[tokio::test(flavor = "multi_thread")]
async fn a_connection_uses_tls_as_the_url_says() {
    let (files, authority) = (Files::new("tls"), Authority::new("a CA"));
    let ca = files.write("ca.pem", &authority.certificate());
    let (server, clients) = (Server::start().await, Authority::new("the clients' CA"));
    a_server_without_tls_is_used_only_if_the_mode_allows_it(&server, &ca).await;
    server.switch_tls_on(&authority.host("localhost", 2100), &clients).await;
    each_mode_checks_what_it_says(&server, &files, &ca).await;
    prefer_does_without_tls_where_it_must(&server).await;
    client_certificates_are_shown(&server, &files, &clients).await;
    channel_binding_is_required_or_not(&server).await;
    the_service_survives_an_expired_certificate_and_a_new_ca(&server, &files, &authority).await;
}

async fn a_server_without_tls_is_used_only_if_the_mode_allows_it(server: &Server, ca: &str) {
    for mode in ["", "sslmode=disable", "sslmode=prefer"] {
        assert_eq!(encrypted(&server.url("anybody", mode)).await, Ok(false), "{mode}");
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let url = server.url("anybody", &format!("sslmode={mode}&sslrootcert={ca}"));
        fails(&url, "the database does not offer TLS: switch it on there (ssl = on), or set sslmode=prefer")
            .await;
    }
    fails(&server.url("only_tls", ""), "set sslmode=verify-full or require").await;
}

async fn each_mode_checks_what_it_says(server: &Server, files: &Files, ca: &str) {
    let unknown = files.write("unknown.pem", &Authority::new("another CA").certificate());
    assert_eq!(encrypted(&server.url("anybody", "sslmode=disable")).await, Ok(false));
    for mode in ["", "sslmode=prefer", "sslmode=require"] {
        assert_eq!(encrypted(&server.url_of("other.example", "anybody", mode)).await, Ok(true), "{mode}");
    }
    for (mode, host) in
        [("require", "other.example"), ("verify-ca", "other.example"), ("verify-full", "localhost")]
    {
        let url = |ca: &str| server.url_of(host, "anybody", &format!("sslmode={mode}&sslrootcert={ca}"));
        assert_eq!(encrypted(&url(ca)).await, Ok(true), "{mode}");
        fails(&url(&unknown), "signed by an unknown CA: set sslrootcert to the PEM file of its CA").await;
    }
    let other_host =
        server.url_of("other.example", "anybody", &format!("sslmode=verify-full&sslrootcert={ca}"));
    fails(&other_host, "for another host name: correct the host, or set sslmode=verify-ca").await;
    fails(&server.url("anybody", "sslrootcert=system"), "signed by an unknown CA").await;
    let pairs = format!(
        "host=localhost hostaddr=127.0.0.1 port={} user=anybody password='correct-horse' dbname=yaniv \
         sslmode=verify-full sslrootcert='{ca}'",
        server.port()
    );
    assert_eq!(encrypted(&pairs).await, Ok(true));
    fails(&server.url("only_tls", "sslmode=disable"), "lets this user in only by TLS: set sslmode").await;
}

async fn prefer_does_without_tls_where_it_must(server: &Server) {
    assert_eq!(encrypted(&server.url("never_tls", "sslmode=prefer")).await, Ok(false));
    fails(&server.url("never_tls", "sslmode=require"), "no pg_hba.conf entry").await;
}

async fn client_certificates_are_shown(server: &Server, files: &Files, clients: &Authority) {
    let shown = |name: &str, signed: &Signed| {
        let certificate = files.write(&format!("{name}.crt"), &signed.certificate);
        let key = files.write(&format!("{name}.key"), &signed.key);
        format!("sslmode=require&sslcert={certificate}&sslkey={key}")
    };
    let ours = shown("ours", &clients.user("by_certificate"));
    let of_others = shown("others", &Authority::new("another CA").user("by_certificate"));
    for user in ["by_certificate", "with_certificate"] {
        assert_eq!(encrypted(&server.url(user, &ours)).await, Ok(true), "{user}");
        fails(&server.url(user, "sslmode=require"), "asks for a client certificate: set sslcert and sslkey")
            .await;
        fails(&server.url(user, &of_others), "refused our certificate: set sslcert and sslkey to one").await;
    }
    let of_bob = shown("bob", &clients.user("bob"));
    fails(&server.url("by_certificate", &of_bob), "the client certificate is for another user").await;
    assert_eq!(encrypted(&server.url("with_certificate", &of_bob)).await, Ok(true));
}

async fn channel_binding_is_required_or_not(server: &Server) {
    for binding in ["disable", "prefer", "require"] {
        let url = server.url("anybody", &format!("sslmode=require&channel_binding={binding}"));
        assert_eq!(encrypted(&url).await, Ok(true), "{binding}");
    }
    let advice = "did not use channel binding: let it have TLS and passwords by scram-sha-256, or set";
    fails(&server.url("anybody", "sslmode=disable&channel_binding=require"), advice).await;
    fails(&server.url("without_password", "sslmode=require&channel_binding=require"), advice).await;
}

/// Files are read for each connection, so neither needs a restart.
async fn the_service_survives_an_expired_certificate_and_a_new_ca(
    server: &Server,
    files: &Files,
    authority: &Authority,
) {
    let url = server.url("anybody", &format!("sslmode=verify-full&sslrootcert={}", files.path("ca.pem")));
    let mut service = Service::start(&url);
    assert_eq!(service.readiness().await, 200);
    let end_sessions = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'anybody'";

    server.show(&authority.host("localhost", 2021)).await;
    server.run(end_sessions).await;
    let lost = service.log_line("WARN the database was lost");
    assert!(lost.contains("the certificate of the database has expired: renew it there"), "{lost}");
    assert_eq!(service.readiness().await, 503);
    fails(&url, "the certificate of the database has expired").await;
    assert_eq!(encrypted(&server.url("anybody", "sslmode=require")).await, Ok(true));

    server.show(&authority.itself()).await;
    fails(&url, "the certificate of the database is that of a CA itself: let the CA sign one").await;

    let new = Authority::new("a new CA");
    server.show(&new.host("localhost", 2100)).await;
    files.write("ca.pem", &new.certificate());
    service.log_line("the database is back");
    assert_eq!(service.readiness().await, 200);
}

#[test]
fn wrong_settings_are_found_before_the_start() {
    let files = Files::new("tls-settings");
    let authority = Authority::new("a CA");
    let ca = files.write("ca.pem", &authority.certificate());
    let signed = authority.user("ada");
    let (certificate, key) = (files.write("c.crt", &signed.certificate), files.write("c.key", &signed.key));
    let other_key = files.write("other.key", &authority.user("bob").key);
    let (text, missing) = (files.write("text", "no PEM"), files.path("missing.pem"));
    let right = [
        format!(
            "sslmode=verify-full&sslrootcert={ca}&sslcert={certificate}&sslkey={key}&channel_binding=require"
        ),
        format!("sslmode=disable&sslrootcert={missing}"),
    ];
    for parameters in right {
        assert_eq!(problems(&parameters), "", "{parameters}");
    }
    let wrong = [
        (
            "sslmode=allow".to_owned(),
            "sslmode=allow is unknown: set disable, prefer, require, verify-ca or verify-full",
        ),
        ("sslmode=verify-ca".to_owned(), "sslmode=verify-ca needs a CA: set sslrootcert"),
        ("sslmode=require&sslrootcert=system".to_owned(), "with sslrootcert=system set sslmode=verify-full"),
        (
            format!("sslrootcert={ca}"),
            "sslrootcert has no effect with sslmode=prefer: set sslmode=verify-full",
        ),
        (format!("sslmode=verify-full&sslrootcert={missing}"), "missing.pem cannot be read: No such file"),
        (format!("sslmode=verify-full&sslrootcert={text}"), "sslrootcert: "),
        (format!("sslcert={certificate}"), "sslcert needs its private key: set sslkey"),
        (format!("sslkey={key}"), "sslkey needs its certificate: set sslcert"),
        (
            format!("sslcert={certificate}&sslkey={certificate}"),
            "has no private key in PEM that is not encrypted",
        ),
        (format!("sslcert={certificate}&sslkey={other_key}"), "not the two halves of one certificate"),
        ("channel_binding=maybe".to_owned(), "`channel_binding`"),
        ("sslcrl=/crl.pem".to_owned(), "`sslcrl`"),
    ];
    for (parameters, says) in wrong {
        let problems = problems(&parameters);
        assert!(problems.contains("the database's URL cannot be used: "), "{parameters}: {problems}");
        assert!(problems.contains(says) && problems.lines().count() == 1, "{parameters}: {problems}");
    }
}

/// What `yaniv config check` says of a database URL with these parameters.
fn problems(parameters: &str) -> String {
    let mut command = program(&format!("postgres://ada@db.example/yaniv?{parameters}"));
    let output = command.args(["config", "check"]).output().unwrap();
    let problems = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.success(), problems.is_empty(), "{parameters}: {problems}");
    problems
}

async fn fails(url: &str, advice: &str) {
    let error = encrypted(url).await.unwrap_err();
    assert!(error.contains(advice), "{url}: {error}");
}

fn program(database_url: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
    command.env_remove("YANIV_TOKEN_SECRET").env_remove("RUST_LOG");
    command.env("DATABASE_URL", database_url).env("YANIV_LISTEN", "127.0.0.1:0").stdin(Stdio::null());
    command
}

/// The running program, and its log.
struct Service {
    child: Child,
    address: String,
    log: Receiver<String>,
}

impl Service {
    fn start(database_url: &str) -> Self {
        let mut child = program(database_url).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, log) = channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let mut service = Self { child, address: String::new(), log };
        let line = service.log_line("listening on http://");
        service.address = line.split("http://").nth(1).unwrap().split(',').next().unwrap().to_owned();
        service
    }

    /// Waits for a line of the log.
    fn log_line(&mut self, part: &str) -> String {
        let begun = Instant::now();
        let mut said = String::new();
        loop {
            let left = PATIENCE.saturating_sub(begun.elapsed());
            let line = self.log.recv_timeout(left);
            let line = line.unwrap_or_else(|error| panic!("{part:?} does not appear: {error}: {said}"));
            if line.contains(part) {
                return line;
            }
            said.push_str(&line);
            said.push('\n');
        }
    }

    async fn readiness(&self) -> u16 {
        reqwest::get(format!("http://{}/readyz", self.address)).await.unwrap().status().as_u16()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
