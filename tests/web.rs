//! Runs the checks of the web client (types, lint, unit tests, sizes), and its browser tests against the program.

#![expect(clippy::unwrap_used, reason = "tests say what they expect")]

#[path = "email/mail_server.rs"]
mod mail_server;
mod program;

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use local_postgres::{TestDatabase, not_checked};
use serde_json::Value;

use mail_server::MailServer;
use program::Program;

const WEB: &str = "web";
/// A browser of npm, for users who may not install Debian's: without notifications.
const SHELL: &str = "@sparticuz/chromium@147.0.0";

/// npm in `web/`, by the Node.js that has built the client; without it the service cannot serve the client either.
fn npm(arguments: &[&str]) -> Command {
    let tools = yaniv_web::NODE_AND_NPM.ok_or(yaniv_web::MISSING);
    let (node, npm) = tools.unwrap();
    let mut command = Command::new(node);
    let path = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(
        Path::new(node).parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path)),
    );
    command.arg(npm).args(arguments).current_dir(WEB).env("PATH", path.unwrap()).env("NO_COLOR", "1");
    command
}

/// Runs a command to its end; its output is seen only if it fails, as with all tests.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{command:?}\n{text}");
    println!("{text}");
    text
}

/// Installs what `package-lock.json` names, once.
fn install() {
    let (lock, done) =
        (Path::new(WEB).join("package-lock.json"), Path::new(WEB).join("node_modules/.installed"));
    if fs::read(&lock).ok() != fs::read(&done).ok() {
        succeed(&mut npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]));
        fs::copy(lock, done).unwrap();
    }
}

/// The first of these commands that is on the `PATH`.
fn on_path(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file())
}

/// Chromium, and whether it is only a headless shell.
fn browser() -> (PathBuf, bool) {
    let chromium = || on_path(&["chromium", "chromium-browser", "google-chrome"]);
    let named = || std::env::var_os("CHROMIUM").map(PathBuf::from);
    if let Some(file) = named().or_else(chromium) {
        return (file, false);
    }
    // With fonts for all five languages.
    succeed(Command::new(".ci/install").args([
        "chromium",
        "chromium",
        "fonts-liberation",
        "fonts-noto-core",
    ]));
    if let Some(file) = chromium() {
        return (file, false);
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    fs::create_dir_all(&folder).unwrap();
    // Not with `--prefix`: npm would look for its global configuration there, and miss the machine's certificates.
    fs::write(folder.join("package.json"), "{}").unwrap();
    let options = ["install", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", SHELL];
    succeed(npm(&options).current_dir(&folder));
    let (node, _) = yaniv_web::NODE_AND_NPM.unwrap();
    let print =
        "import('@sparticuz/chromium').then(c => c.default.executablePath()).then(p => console.log(p))";
    // It is unpacked to the folder for temporary files, where another user's copy could be in the way.
    let path = succeed(Command::new(node).args(["-e", print]).current_dir(&folder).env("TMPDIR", &folder));
    (PathBuf::from(path.trim()), true)
}

/// A headless shell, which needs less time: for the tests that need no notifications.
fn headless_shell() -> Option<PathBuf> {
    let name = "chromium-headless-shell";
    let named = std::env::var_os("CHROMIUM_SHELL").map(PathBuf::from);
    named.or_else(|| {
        succeed(Command::new(".ci/install").args([name, name]));
        on_path(&[name])
    })
}

/// A real OpenID provider (the npm package `oidc-provider`), which ends with its standard input.
struct OpenIdProvider {
    _child: Child,
    /// Its issuer, and what the service is there as a client.
    registration: Value,
}

impl OpenIdProvider {
    fn start(service: &str) -> Self {
        let (node, _) = yaniv_web::NODE_AND_NPM.unwrap();
        let mut command = Command::new(node);
        command.arg("tests/oidc/provider.mjs").arg(format!("{service}/oidc/callback")).current_dir(WEB);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { _child: child, registration: serde_json::from_str(&line).unwrap() }
    }

    fn text(&self, name: &str) -> &str {
        self.registration.get(name).and_then(Value::as_str).unwrap()
    }
}

#[test]
fn the_client_is_right_and_small_and_plays_in_a_browser() {
    install();
    succeed(&mut npm(&["run", "check"]));
    succeed(&mut npm(&["run", "bundle"]));
    succeed(&mut npm(&["run", "size"]));

    let (chromium, shell) = browser();
    if shell {
        not_checked("notifications of the web client", "the browser is a headless shell, which has none");
    }
    let database = TestDatabase::create("empty", |_| Ok(())).unwrap();
    // Known before the start, as links in e-mails and the issuer of OAuth begin with it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    // By its name: there are no passkeys at an IP address.
    let (url, address) = (format!("http://localhost:{}", address.port()), address.to_string());
    let mut variables =
        vec![("YANIV_SANDBOXES", "on"), ("YANIV_RATE_LIMITS", "off"), ("YANIV_LISTEN", &address)];
    variables.push(("YANIV_PUBLIC_URL", &url));
    let mail = MailServer::start("127.0.0.1").map(|server| (server.url(), server));
    if let Some((smtp, server)) = &mail {
        variables
            .extend([("YANIV_SMTP_URL", smtp.as_str()), ("YANIV_MAIL_FROM", "Yaniv <yaniv@yaniv.example>")]);
        variables.push(("SSL_CERT_FILE", &server.authority));
    }
    let provider = OpenIdProvider::start(&url);
    variables.extend([
        ("YANIV_OIDC_ISSUER", provider.text("issuer")),
        ("YANIV_OIDC_CLIENT_ID", provider.text("client_id")),
        ("YANIV_OIDC_CLIENT_SECRET", provider.text("client_secret")),
        ("YANIV_OIDC_NAME", "Example Club"),
    ]);
    let service = Program::start(database.url(), &variables);
    assert_eq!(service.address(), address);
    let mut tests = npm(&["run", "browser"]);
    tests.env("YANIV_PASSKEYS", "1").env("YANIV_WEB", &url).env("CHROMIUM", chromium);
    if let Some((_, server)) = &mail {
        tests.env("YANIV_MAILS", &server.messages);
    }
    tests.env("YANIV_OIDC", "1");
    // For services that a test kills.
    tests.env("YANIV_BIN", env!("CARGO_BIN_EXE_yaniv"));
    if shell {
        tests.env("HEADLESS_SHELL", "1");
    } else if let Some(file) = headless_shell() {
        tests.env("CHROMIUM_SHELL", file);
    }
    let output = tests.env("CI", "1").output().unwrap();
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    // What fails comes last, and a log may be cut.
    assert!(
        output.status.success(),
        "{}",
        text.split_once("Failed Tests").map_or(text.as_str(), |(_, failed)| failed)
    );
    println!("{text}");
}
