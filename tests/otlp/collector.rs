//! A real collector of OpenTelemetry (rotel), which writes the traces that it receives to a file.

use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use local_postgres::not_installed;

const REQUIREMENTS: &str = "tests/otlp/requirements.txt";

/// The running collector; killed on drop.
pub(crate) struct Collector {
    child: Child,
    port: u16,
    output: PathBuf,
}

impl Collector {
    /// Starts it; `None` if it cannot be installed here.
    pub(crate) fn start() -> Option<Self> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rotel");
        let program = program(&folder)?;
        let [port, other] = [free_port(), free_port()];
        let output = folder.join("output");
        let mut command = Command::new(program);
        command.args(["start", "--exporter", "blackhole", "--debug-log", "traces"]);
        command.args(["--debug-log-verbosity", "detailed"]);
        command.args(["--otlp-http-endpoint", &format!("127.0.0.1:{port}")]);
        command.args(["--otlp-grpc-endpoint", &format!("127.0.0.1:{other}")]);
        let child = command.stdin(Stdio::null()).stdout(File::create(&output).unwrap()).spawn().unwrap();
        Some(Self { child, port, output })
    }

    /// Its endpoint.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it has received, once that contains this text.
    pub(crate) fn received(&self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let received = std::fs::read_to_string(&self.output).unwrap();
            if received.contains(text) {
                return received;
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "{text} is not in: {received}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// The program, installed once.
fn program(folder: &Path) -> Option<PathBuf> {
    let (packages, installed) = (folder.join("packages"), folder.join("installed"));
    let program = packages.join("rotel/rotel-agent");
    if std::fs::read(&installed).ok() == Some(std::fs::read(REQUIREMENTS).unwrap()) {
        return Some(program);
    }
    let run = |command: &mut Command| command.output().is_ok_and(|output| output.status.success());
    let python = folder.join("python/bin/python");
    let made = run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder.join("python")));
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade", "--target"];
    let mut pip = Command::new(&python);
    // There is a build of it for some systems only.
    if !made || !run(pip.args(install).arg(&packages).args(["--requirement", REQUIREMENTS])) {
        not_installed("traces", "Python 3.11 with venv, and rotel for it").unwrap();
        return None;
    }
    std::fs::copy(REQUIREMENTS, installed).unwrap();
    Some(program)
}
