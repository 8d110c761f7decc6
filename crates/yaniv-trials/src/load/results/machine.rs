//! CPU time and memory of processes, read from `/proc` on Linux. Other systems have no figures.

use std::fs;
use std::time::Duration;

/// The kernel's unit of CPU time; 10 ms on every Linux, whatever its own clock.
const TICK: Duration = Duration::from_millis(10);

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    /// Resident now.
    pub resident: u64,
    /// Peak resident memory.
    pub peak: u64,
}

impl std::iter::Sum for Memory {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self {
            resident: sum.resident + one.resident,
            peak: sum.peak + one.peak,
        })
    }
}

/// CPU time of a process, without its children.
#[must_use]
pub fn cpu(pid: u32) -> Option<Duration> {
    let stat = Stat::read(pid)?;
    Some(stat.own)
}

/// CPU time of a process and its children, including those that have ended.
#[must_use]
pub fn cpu_of_family(parent: u32) -> Option<Duration> {
    let head = Stat::read(parent)?;
    let children = fs::read_dir("/proc").ok()?.filter_map(|entry| {
        let stat = Stat::read(entry.ok()?.file_name().to_str()?.parse().ok()?)?;
        (stat.parent == parent).then_some(stat.own)
    });
    Some(head.own + head.ended_children + children.sum::<Duration>())
}

/// The parent of a process.
#[must_use]
pub fn parent(pid: u32) -> Option<u32> {
    Some(Stat::read(pid)?.parent)
}

/// Whether a process belongs to PostgreSQL.
#[must_use]
pub fn is_postgres(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/comm")).is_ok_and(|name| name.trim().starts_with("postgres"))
}

/// Memory of a process.
#[must_use]
pub fn memory(pid: u32) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let bytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
    };
    Some(Memory { resident: bytes("VmRSS:")?, peak: bytes("VmHWM:")? })
}

/// Busy CPU time of the whole machine, and its number of processors.
#[must_use]
pub fn busy() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    let all: Vec<u32> =
        stat.lines().next()?.split_whitespace().skip(1).map_while(|n| n.parse().ok()).collect();
    // user, nice, system, (idle, iowait), irq, softirq, steal
    let busy = [0, 1, 2, 5, 6, 7].into_iter().filter_map(|at: usize| all.get(at)).sum::<u32>();
    Some(TICK * busy)
}

/// The machine's number of processors.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The machine in one line: processors and their model.
#[must_use]
pub fn described() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    format!("{} cores ({})", cores(), model.unwrap_or("model unknown").trim())
}

struct Stat {
    parent: u32,
    own: Duration,
    ended_children: Duration,
}

impl Stat {
    fn read(pid: u32) -> Option<Self> {
        let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The program's name may contain anything, up to the last parenthesis.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |at: usize| Some(TICK * fields.get(at)?.parse::<u32>().ok()?);
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own: ticks(11)? + ticks(12)?,
            ended_children: ticks(13)? + ticks(14)?,
        })
    }
}
