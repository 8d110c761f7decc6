//! The program as a process, and the memory that it takes.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running service.
pub(crate) struct Program {
    child: Child,
    pub(crate) address: String,
}

impl Program {
    /// Starts the service on a database.
    pub(crate) fn start(database_url: &str) -> Self {
        Self::start_by(Command::new(env!("CARGO_BIN_EXE_yaniv")), database_url)
    }

    /// Starts the service by a command, on a database.
    pub(crate) fn start_by(mut command: Command, database_url: &str) -> Self {
        command.env_remove("RUST_LOG").env_remove(crate::RENEW).env("DATABASE_URL", database_url);
        command.env("YANIV_LISTEN", "127.0.0.1:0").env("YANIV_WORKERS", "1").env("YANIV_RATE_LIMITS", "off");
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (mut log, mut said) = (BufReader::new(child.stderr.take().unwrap()), String::new());
        while !said.contains("listening on http://") {
            assert_ne!(log.read_line(&mut said).unwrap(), 0, "the service ended: {said}");
        }
        let address = said.split("listening on ").nth(1).unwrap().split(',').next().unwrap().to_owned();
        // Drain the log, so that the service never blocks on it.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Self { child, address }
    }

    /// Identifies the process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Anonymous memory in use, in bytes. Pages of the executable are not counted: they differ from build to build.
    pub(crate) fn memory(&self) -> Option<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find(|line| line.starts_with("RssAnon:"))?;
        let kilobytes: u32 = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(f64::from(kilobytes) * 1024.0)
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
