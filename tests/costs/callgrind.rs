//! Instructions and allocations of the service while it answers requests, counted by callgrind (valgrind).

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::program::Program;

/// The service under callgrind.
pub(crate) struct Callgrind {
    pub(crate) program: Program,
    dumps: PathBuf,
    count: u32,
    /// What the service does while nothing is requested, per second.
    idle: Spent,
}

/// Instructions, and calls of the allocator.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Spent {
    pub(crate) instructions: f64,
    pub(crate) allocations: f64,
}

/// What the compiler calls to allocate.
const ALLOCATORS: [&str; 3] = ["__rust_alloc", "__rust_alloc_zeroed", "__rust_realloc"];
/// For how long the idle service is measured: background jobs have periods up to a second.
const IDLE: Duration = Duration::from_secs(4);

impl Callgrind {
    /// Starts the service; an error if there is no valgrind.
    pub(crate) fn start(database_url: &str) -> Result<Self, String> {
        for tool in ["valgrind", "vgdb"] {
            let found = Command::new(tool).arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status();
            found.map_err(|error| format!("{tool}: {error}"))?;
        }
        let dumps =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("callgrind-{}", std::process::id()));
        std::fs::create_dir_all(&dumps).unwrap();
        let mut command = Command::new("valgrind");
        command.args(["--quiet", "--tool=callgrind", "--instr-atstart=no", "--compress-strings=no"]);
        command.arg(format!("--callgrind-out-file={}/out", dumps.display())).arg(env!("CARGO_BIN_EXE_yaniv"));
        let program = Program::start_by(command, database_url);
        Ok(Self { program, dumps, count: 0, idle: Spent::default() })
    }

    /// Begins to count. Warm caches up before: what is counted runs at a hundredth of the speed.
    pub(crate) async fn begin(&mut self) {
        self.control("instrumentation on");
        let (idle, time) = self.spend(tokio::time::sleep(IDLE)).await;
        let each = |figure: f64| figure / time.as_secs_f64();
        self.idle = Spent { instructions: each(idle.instructions), allocations: each(idle.allocations) };
    }

    /// What some requests cost, without what background jobs cost in the same time.
    pub(crate) async fn cost(&mut self, requests: impl Future<Output = ()>) -> Spent {
        let (spent, time) = self.spend(requests).await;
        let seconds = time.as_secs_f64();
        Spent {
            instructions: spent.instructions - self.idle.instructions * seconds,
            allocations: spent.allocations - self.idle.allocations * seconds,
        }
    }

    async fn spend(&mut self, work: impl Future<Output = ()>) -> (Spent, Duration) {
        self.control("zero");
        let begun = Instant::now();
        work.await;
        let time = begun.elapsed();
        self.control("dump");
        self.count += 1;
        let dump = std::fs::read_to_string(self.dumps.join(format!("out.{}", self.count))).unwrap();
        (read(&dump), time)
    }

    fn control(&self, command: &str) {
        let pid = format!("--pid={}", self.program.pid());
        let output = Command::new("vgdb").arg(pid).arg(command).output().unwrap();
        assert!(output.status.success(), "vgdb {command}: {output:?}");
    }
}

impl Drop for Callgrind {
    fn drop(&mut self) {
        // They are temporary files; leftovers are harmless.
        let _ = std::fs::remove_dir_all(&self.dumps);
    }
}

/// Reads a dump: <https://valgrind.org/docs/manual/cl-format.html>.
fn read(dump: &str) -> Spent {
    let (mut spent, mut allocator) = (Spent::default(), false);
    for line in dump.lines() {
        if let Some(total) = line.strip_prefix("totals: ") {
            spent.instructions += total.trim().parse::<f64>().unwrap();
        } else if let Some(called) = line.strip_prefix("cfn=") {
            allocator = ALLOCATORS.iter().any(|name| called.ends_with(name));
        } else if let Some(calls) = line.strip_prefix("calls=")
            && allocator
        {
            spent.allocations += calls.split(' ').next().unwrap().parse::<f64>().unwrap();
        }
    }
    spent
}
