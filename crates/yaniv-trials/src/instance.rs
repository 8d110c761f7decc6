//! An instance of the service: this program itself, started as a separate process.
//!
//! A trial's `main` first calls [`serve_if_asked`], which handles processes started by [`Instance::start`].

use std::fs::File;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use crate::Error;

/// The variable that turns a trial into the service.
const SERVE: &str = "YANIV_TRIAL_SERVES";
/// How long an instance may take to be ready, on a busy machine.
const START: Duration = Duration::from_secs(120);

/// Runs the service and returns its exit code, if this process was started for that.
///
/// All its configuration comes from the environment, as in production.
#[must_use]
pub fn serve_if_asked() -> Option<ExitCode> {
    std::env::var_os(SERVE)?;
    Some(yaniv::program::main())
}

/// An instance of the service.
#[derive(Debug)]
pub struct Instance {
    child: Child,
    /// Where it listens.
    pub address: SocketAddr,
    /// Its standard error.
    pub log: PathBuf,
}

/// How to start an instance.
#[derive(Clone, Debug)]
pub struct Options {
    /// `DATABASE_URL`.
    pub database_url: String,
    /// Where to listen; a free port if none.
    pub address: Option<SocketAddr>,
    /// The log file; the instance appends to it.
    pub log: PathBuf,
    /// Other environment variables.
    pub environment: Vec<(String, String)>,
}

impl Instance {
    /// Starts an instance and waits until it is ready.
    ///
    /// # Errors
    /// If it ends, or is not ready within two minutes; the error has the end of its log.
    pub fn start(options: &Options) -> Result<Self, Error> {
        Self::start_program(options, &std::env::current_exe()?)
    }

    /// The same with another executable: another build of the service, or of a trial.
    ///
    /// # Errors
    /// As above.
    pub fn start_program(options: &Options, program: &Path) -> Result<Self, Error> {
        let address = match options.address {
            Some(address) => address,
            None => free_address()?,
        };
        let log = File::options().create(true).append(true).open(&options.log)?;
        let child = Command::new(program)
            .arg("serve")
            .env(SERVE, "1")
            .env("DATABASE_URL", &options.database_url)
            .env("YANIV_LISTEN", address.to_string())
            // All players share one address, and send more often than people.
            .env("YANIV_RATE_LIMITS", "off")
            .envs(options.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()?;
        let mut instance = Self { child, address, log: options.log.clone() };
        instance.wait_ready()?;
        Ok(instance)
    }

    /// The process id.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends SIGKILL.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn kill9(mut self) -> Result<(), Error> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Sends SIGTERM, as a service manager would, and waits for the exit.
    ///
    /// # Errors
    /// If it does not exit in time, or not by itself.
    pub fn terminate(mut self, within: Duration) -> Result<Duration, Error> {
        let begun = Instant::now();
        Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        while begun.elapsed() < within {
            if let Some(status) = self.child.try_wait()? {
                return if status.success() {
                    Ok(begun.elapsed())
                } else {
                    Err(format!("ended with {status}").into())
                };
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err(format!("had not ended after {within:?}").into())
    }

    fn wait_ready(&mut self) -> Result<(), Error> {
        let begun = Instant::now();
        let probe = yaniv::config::HealthOptions { listen: self.address };
        while begun.elapsed() < START {
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the service ended with {status}: {}", tail(&self.log)).into());
            }
            if yaniv::run::health(&probe).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Err(format!("the service is not ready: {}", tail(&self.log)).into())
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address that stays reserved even while no process listens there.
///
/// Instances are killed and restarted on theirs. On 127.0.0.1 the system may give a free port to another program, whose
/// answers would count as the instance's. This process uses its own loopback address, and gives each port once.
pub(crate) fn free_address() -> Result<SocketAddr, Error> {
    static NEXT: AtomicU16 = AtomicU16::new(20_000);
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    let own = Ipv4Addr::new(127, 64 | (high & 63), middle, low);
    let address = SocketAddr::from((own, NEXT.fetch_add(1, Ordering::Relaxed)));
    // Some systems have 127.0.0.1 only.
    let listener = TcpListener::bind(address).or_else(|_| TcpListener::bind("127.0.0.1:0"))?;
    Ok(listener.local_addr()?)
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().rev().take(5).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
}
