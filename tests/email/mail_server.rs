//! A real mail server (aiosmtpd), with a certificate of the tests' own.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use local_postgres::not_installed;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose};

const REQUIREMENTS: &str = "tests/email/requirements.txt";

/// The running server; killed on drop.
pub(crate) struct MailServer {
    child: Child,
    port: u16,
    /// File to which each accepted message is appended, as a line of JSON, below the port.
    pub(crate) messages: String,
    /// File with the certificate of the CA that has signed the server's.
    pub(crate) authority: String,
}

impl MailServer {
    /// Starts it with a certificate for this name or address; `None` if Python is missing.
    pub(crate) fn start(name: &str) -> Option<Self> {
        let python = python()?;
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = format!("mail-{}-{number}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
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
        let messages = file("messages");
        let mut command = Command::new(python);
        command.args(["tests/email/server.py", &file("certificate"), &file("key")]);
        command.stdout(File::create(&messages).unwrap()).stderr(File::create(file("errors")).unwrap());
        let mut child = command.spawn().unwrap();
        let port = loop {
            let text = std::fs::read_to_string(&messages).unwrap();
            if let Some((port, "")) = text.split_once('\n') {
                break port.parse().unwrap();
            }
            let ended = child.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "the mail server ended: {}",
                std::fs::read_to_string(file("errors")).unwrap()
            );
            std::thread::sleep(Duration::from_millis(50));
        };
        Some(Self { child, port, messages, authority: file("ca") })
    }

    /// Its URL, with the log-in.
    pub(crate) fn url(&self) -> String {
        format!("smtp://yaniv:s3cret%2F%40%3A@127.0.0.1:{}?tls=required", self.port)
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
