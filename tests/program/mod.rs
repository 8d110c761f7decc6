//! The program as a process of its own, for tests that start it as an operator does.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The running service; killed on drop.
pub(crate) struct Program {
    child: Child,
    /// Its log until it listened.
    said: String,
}

impl Program {
    /// Starts the service on a free port, with this database and these variables, and waits until it listens.
    pub(crate) fn start(database_url: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_other(Path::new(env!("CARGO_BIN_EXE_yaniv")), database_url, variables)
    }

    /// The same with another program, for example of a release.
    pub(crate) fn start_other(program: &Path, database_url: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(program);
        command.env("DATABASE_URL", database_url).env("YANIV_LISTEN", "127.0.0.1:0").env_remove("RUST_LOG");
        command.envs(variables.iter().copied()).stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains("listening on http://") {
            assert_ne!(log.read_line(&mut said).unwrap(), 0, "the service ended: {said}");
        }
        // A full pipe would stop the service.
        std::thread::spawn(move || log.lines().for_each(drop));
        Self { child, said }
    }

    /// Host and port of the API.
    pub(crate) fn address(&self) -> &str {
        self.said_after("listening on http://")
    }

    /// The host and port that its log has after these words.
    pub(crate) fn said_after(&self, words: &str) -> &str {
        self.said.split(words).nth(1).unwrap().split([',', '/', '\n']).next().unwrap()
    }

    /// Ends it at once.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}
