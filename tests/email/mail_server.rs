//! A real mail server (aiosmtpd), with a certificate of the tests' own.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use local_postgres::not_installed;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};
use serde_json::Value;

const REQUIREMENTS: &str = "tests/email/requirements.txt";

/// The running server; killed on drop.
pub(crate) struct MailServer {
    child: Child,
    port: u16,
    accepted: Arc<Mutex<Vec<Value>>>,
    /// File to which each accepted message is appended, as a line of JSON.
    pub(crate) messages: String,
    /// File with the certificate of the CA that has signed the server's.
    pub(crate) authority: String,
}

impl MailServer {
    /// Starts it with a certificate for this name or address; `None` if Python is missing.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let python = python()?;
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("mail-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str| folder.join(name).display().to_string();
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        for (name, text) in
            [("ca", authority.pem()), ("certificate", certificate.pem()), ("key", key.serialize_pem())]
        {
            std::fs::write(file(name), text).unwrap();
        }
        let mut command = Command::new(python);
        command.args(["tests/email/server.py", &file("certificate"), &file("key")]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap().parse().unwrap();
        let accepted: Arc<Mutex<Vec<Value>>> = Arc::default();
        let (to, mut messages) = (accepted.clone(), File::create(file("messages")).unwrap());
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                writeln!(messages, "{line}").unwrap();
                to.lock().unwrap().push(serde_json::from_str(&line).unwrap());
            }
        });
        Some(Self { child, port, accepted, messages: file("messages"), authority: file("ca") })
    }

    /// Its URL, with the log-in.
    pub(crate) fn url(&self) -> String {
        format!("smtp://yaniv:s3cret%2F%40%3A@127.0.0.1:{}?tls=required", self.port)
    }

    /// What it has accepted for an address.
    pub(crate) fn accepted_for(&self, address: &str) -> Vec<Value> {
        let accepted = self.accepted.lock().unwrap();
        accepted.iter().filter(|mail| mail["to"][0] == address).cloned().collect()
    }

    /// Waits until it has accepted this many for an address; returns the last of them.
    pub(crate) async fn accepts(&self, address: &str, count: usize) -> Value {
        let begun = Instant::now();
        loop {
            let accepted = self.accepted_for(address);
            assert!(accepted.len() <= count, "more than {count}: {accepted:#?}");
            if let Some(last) = accepted.get(count - 1) {
                return last.clone();
            }
            assert!(
                begun.elapsed() < Duration::from_secs(60),
                "{} of {count} e-mails to {address}",
                accepted.len()
            );
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Python with aiosmtpd, installed once.
fn python() -> Option<PathBuf> {
    static INSTALLING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = INSTALLING.lock().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("aiosmtpd");
    let (python, installed) = (folder.join("bin/python"), folder.join("installed"));
    if std::fs::read(&installed).ok() == Some(std::fs::read(REQUIREMENTS).unwrap()) {
        return Some(python);
    }
    let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    if !run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder)) {
        not_installed("e-mail", "Python 3 with venv").unwrap();
        return None;
    }
    let install =
        ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", REQUIREMENTS];
    assert!(run(Command::new(&python).args(install)), "aiosmtpd cannot be installed");
    std::fs::copy(REQUIREMENTS, installed).unwrap();
    Some(python)
}
