//! Test helpers: the service as a process with its own database, and `yaniv play` with pipes.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use local_postgres::TestDatabase;

/// The password of every account.
pub(crate) const PASSWORD: &str = "correct horse";

/// Half a pack, three cards each.
pub(crate) const SHORT: &str = "speedy max_rounds=2";

/// Timeout of everything, on a busy machine.
const LONGEST: Duration = Duration::from_secs(120);

/// A service.
pub(crate) struct Service {
    child: Child,
    address: String,
    database: TestDatabase,
}

impl Service {
    /// A service on a free port.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same with these environment variables.
    pub(crate) fn start_with(variables: &[(&str, &str)]) -> Self {
        // We may be inside a runtime; starting a database needs its own.
        let create = || TestDatabase::create("empty", |_| Ok(())).unwrap();
        let database = std::thread::spawn(create).join().unwrap();
        let (child, address) = serve(&database, "127.0.0.1:0", variables);
        Self { child, address, database }
    }

    /// Its URL.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Restarts it at the same address.
    pub(crate) fn restart(&mut self) {
        self.restart_with(&[]);
    }

    /// The same with these environment variables.
    pub(crate) fn restart_with(&mut self, variables: &[(&str, &str)]) {
        self.child = serve(&self.database, &self.address, variables).0;
    }

    /// Runs a statement on the database; returns the number of affected rows.
    pub(crate) fn sql(&self, statement: &'static str) -> u64 {
        let url = self.database.url().to_owned();
        let execute = async move {
            let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
            tokio::spawn(connection);
            client.execute(statement, &[]).await.unwrap()
        };
        // We may be inside a runtime.
        std::thread::spawn(|| tokio::runtime::Runtime::new().unwrap().block_on(execute)).join().unwrap()
    }

    /// The code of an invitation for one registration.
    pub(crate) fn invitation(&self) -> String {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
        command.args(["admin", "invitations", "create"]).env("DATABASE_URL", self.database.url());
        let said = String::from_utf8(command.output().unwrap().stdout).unwrap();
        said.split("code: ").nth(1).unwrap().trim().to_owned()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(database: &TestDatabase, listen: &str, variables: &[(&str, &str)]) -> (Child, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_yaniv"))
        .env("DATABASE_URL", database.url())
        .env("YANIV_LISTEN", listen)
        .env_remove("RUST_LOG")
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.contains("listening on http://") {
        assert_ne!(log.read_line(&mut said).unwrap(), 0, "the service ended: {said}");
    }
    // Drain the log, so that the service never blocks on it.
    std::thread::spawn(move || log.read_to_string(&mut String::new()));
    let address = said.split("listening on http://").nth(1).unwrap().split(',').next().unwrap().to_owned();
    (child, address)
}

/// A directory that is removed with the test.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    /// The state file of `yaniv play` in it.
    pub(crate) fn memory(&self) -> PathBuf {
        self.0.join("yaniv/play.json")
    }

    pub(crate) fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let directory = std::env::temp_dir().join(format!("yaniv-play-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        Self(directory)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running `yaniv play`.
pub(crate) struct Terminal {
    child: Child,
    input: Option<ChildStdin>,
    said: Arc<Mutex<String>>,
    /// Ends with the output.
    listening: Option<JoinHandle<()>>,
    /// How much of the output was matched.
    read: usize,
}

impl Terminal {
    /// Starts the program with these arguments, and its state in this directory.
    pub(crate) fn open(home: &Scratch, arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_yaniv"))
            .args(["play", "--poll", "20"])
            .args(arguments)
            .env("XDG_STATE_HOME", &home.0)
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, mut output) = (child.stdin.take(), child.stdout.take().unwrap());
        let said = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&said);
        let listening = std::thread::spawn(move || {
            let mut part = [0; 4096];
            while let Ok(length @ 1..) = output.read(&mut part) {
                heard.lock().unwrap().push_str(&String::from_utf8_lossy(&part[..length]));
            }
        });
        Self { child, input, said, listening: Some(listening), read: 0 }
    }

    /// Types a line.
    pub(crate) fn types(&mut self, line: &str) {
        writeln!(self.input.as_ref().unwrap(), "{line}").unwrap();
    }

    /// Waits until the program prints this, after the previous match; returns the output up to there.
    #[track_caller]
    pub(crate) fn hears(&mut self, text: &str) -> String {
        let begun = Instant::now();
        loop {
            let said = self.said.lock().unwrap().clone();
            if let Some(at) = said[self.read..].find(text) {
                let heard = said[self.read..self.read + at + text.len()].to_owned();
                self.read += at + text.len();
                return heard;
            }
            assert!(begun.elapsed() < LONGEST, "no {text:?} after {:?} in {said}", &said[..self.read]);
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Whether the program has printed this since the previous match.
    pub(crate) fn has_heard(&self, text: &str) -> bool {
        self.said.lock().unwrap()[self.read..].contains(text)
    }

    /// Waits until the program asks for a move, without any other question before.
    #[track_caller]
    pub(crate) fn is_let_in(&mut self) -> String {
        let said = self.hears("Your choice:");
        assert!(!said.contains("Password") && !said.contains("password"), "{said}");
        said
    }

    /// The whole output.
    pub(crate) fn everything(&self) -> String {
        self.said.lock().unwrap().clone()
    }

    /// Answers the first questions with a registration.
    pub(crate) fn registers(&mut self, name: &str) {
        self.hears(&format!("Is {name} a new player here? [y/n]"));
        self.types("y");
        self.hears("Choose a password");
        self.types(PASSWORD);
        self.hears("The same again:");
        self.types(PASSWORD);
        self.hears(&format!("You are registered as {name}."));
    }

    /// Creates a match of two and returns its code.
    pub(crate) fn creates(&mut self, rules: &str) -> String {
        self.hears("Your choice:");
        self.types("new");
        self.hears("Rules [1]");
        self.types(rules);
        self.hears("How many players");
        self.types("");
        self.hears("Its code, to share:  ");
        self.hears("\n").trim().to_owned()
    }

    /// Closes the input; waits for the exit.
    pub(crate) fn closes(mut self) -> String {
        drop(self.input.take());
        let begun = Instant::now();
        while self.child.try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < LONGEST, "the program does not end: {}", self.everything());
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(self.child.wait().unwrap().success(), "{}", self.everything());
        self.listening.take().unwrap().join().unwrap();
        self.everything()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Ada and Bob in a match, in two terminals; the player to act comes first.
pub(crate) fn sit_down(url: &str, home: &Scratch) -> [Terminal; 2] {
    let mut ada = Terminal::open(home, &["--server", url, "--user", "ada"]);
    ada.registers("ada");
    let code = ada.creates(SHORT);
    let mut bob = Terminal::open(home, &["--server", url, "--user", "bob", &code]);
    bob.registers("bob");
    bob.hears("ada invites to a match of Yaniv with own rules, 1 of 2 seats taken");
    bob.types("");
    bob.hears("At the table: ada, bob; 2 of 2 seats taken");
    ada.hears("All are here");
    ada.types("start");
    ada.hears("Round 1 of Yaniv");
    bob.hears("Round 1 of Yaniv");
    loop {
        if ada.has_heard("Your move:") {
            return [ada, bob];
        }
        if bob.has_heard("Your move:") {
            return [bob, ada];
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
