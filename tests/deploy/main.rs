//! The samples in `deploy`, tried with the programs that they are for: nginx, Caddy, Prometheus, systemd.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

mod compose;
mod monitoring;
#[path = "../program/mod.rs"]
mod program;
mod proxies;
mod unit;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use local_postgres::not_installed;

/// Timeout, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A file of `deploy`.
fn sample(name: &str) -> String {
    std::fs::read_to_string(format!("deploy/{name}")).unwrap()
}

/// Replaces a part of a sample that must be there.
fn replaced(text: &str, part: &str, by: &str) -> String {
    assert!(text.contains(part), "{part} is not in the sample:\n{text}");
    text.replace(part, by)
}

/// An empty directory for a program.
fn directory(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("deploy-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A port that nothing listens on.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Whether a program is there. If it is not, its samples are reported as not checked.
fn installed(program: &str) -> bool {
    let find = format!("command -v {program}");
    let found = Command::new("sh").args(["-c", &find]).stdout(Stdio::null()).status().unwrap().success();
    if !found {
        not_installed(&format!("the samples for {program} in deploy"), program).unwrap();
    }
    found
}

/// A program in the background; killed on drop.
struct Running(Child);

impl Running {
    fn start(command: &mut Command) -> Self {
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Repeats a check until it is true.
async fn eventually(what: &str, mut check: impl AsyncFnMut() -> bool) {
    let begun = Instant::now();
    while !check().await {
        assert!(begun.elapsed() < PATIENCE, "{what}: not after {PATIENCE:?}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}
