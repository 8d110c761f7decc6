//! Test environment: database, service, players and their matches. Also runs one phase: connections that work for a
//! time, with the resulting figures.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use local_postgres::TestCluster;
use tokio::task::JoinSet;

use super::database::Database;
use super::drive::{self, Load, Mode};
use super::options::Options;
use super::pace::Pace;
use super::people::{self, Matches, People};
use super::wire::Wire;
use crate::Error;
use crate::instance::{self, Instance};
use crate::load::results::figures::{Cost, Phase};
use crate::load::results::machine::{self, Memory};
use crate::load::results::measure::{Kind, Measure};
use crate::load::results::number::{pretty, real};

/// Time for connections to finish their last requests.
const END: Duration = Duration::from_secs(15);
/// Name of the database in our own cluster.
const NAME: &str = "yaniv";

/// The system under test, and its environment.
pub struct Stage {
    /// For measurements.
    pub database: Database,
    /// Database URL.
    pub url: String,
    /// Seconds of warm-up and of measurement of a phase.
    seconds: (u64, u64),
    people: People,
    matches: Matches,
    instances: Vec<Instance>,
    /// What creating the players and matches cost, in words.
    pub made: String,
    /// Next seed of choices and keys.
    seed: Cell<u64>,
    log: PathBuf,
    // Dropped last.
    _cluster: Option<TestCluster>,
}

/// A phase to measure.
pub struct Plan {
    /// Its name.
    pub name: String,
    /// What its connections do.
    pub mode: Mode,
    /// Number of connections.
    pub connections: usize,
    /// The kind of request that it measures.
    pub main: Kind,
    /// Requests per second; unlimited if none.
    pub rate: Option<f64>,
    /// Another server than the service, and its process id.
    pub other: Option<(SocketAddr, u32)>,
}

impl Stage {
    /// Starts everything.
    ///
    /// # Errors
    /// If the database or the service does not start, or refuses a request.
    pub async fn set(options: &Options) -> Result<Self, Error> {
        let (cluster, url) = match &options.database_url {
            Some(url) => (None, url.clone()),
            None => own_cluster()?,
        };
        let log = std::env::temp_dir().join(format!("yaniv-load-{}.log", std::process::id()));
        let environment = options.service_env.iter().map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (name.to_owned(), value.to_owned())
        });
        let start = instance::Options {
            database_url: url.clone(),
            address: None,
            log: log.clone(),
            environment: environment.collect(),
        };
        let instances: Vec<Instance> =
            (0..options.instances).map(|_| Instance::start(&start)).collect::<Result<_, _>>()?;
        let addresses: Vec<SocketAddr> = instances.iter().map(|instance| instance.address).collect();
        let begun = Instant::now();
        let mark = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_secs();
        let memory = || -> String {
            let sum: Option<Memory> = instances.iter().map(|instance| machine::memory(instance.pid())).sum();
            sum.map_or_else(|| "–".to_owned(), |memory| pretty(real(memory.resident) / 1_048_576.0))
        };
        let at_start = memory();
        let people = people::register(&addresses, options.accounts, mark).await?;
        let (registered, with_people) = (begun.elapsed().as_secs_f64(), memory());
        let begun = Instant::now();
        let matches = people::begin(&addresses, &people, options.matches).await?;
        let created = begun.elapsed().as_secs_f64();
        let count = |many: usize| real(u64::try_from(many).unwrap_or_default());
        let made = format!(
            "{} accounts registered in {registered:.1} s ({:.0}/s), {} matches created, joined and dealt in \
             {created:.1} s ({:.0}/s); memory of the service {at_start} MB at its start, {with_people} after the \
             accounts, {} after the matches",
            options.accounts,
            count(options.accounts) / registered,
            options.matches,
            count(options.matches) / created,
            memory(),
        );
        let database = Database::connect(&url).await?;
        let (seconds, seed) = ((options.warmup, options.seconds), Cell::new(mark << 32));
        Ok(Self { database, url, seconds, people, matches, instances, made, seed, log, _cluster: cluster })
    }

    /// Measures a phase.
    ///
    /// # Errors
    /// If the database cannot be asked, or a connection hangs.
    pub async fn measure(&self, plan: Plan) -> Result<Phase, Error> {
        self.measure_until(plan, None).await
    }

    /// Measures a phase of this many requests of its main kind, without warm-up.
    ///
    /// # Errors
    /// As above.
    pub async fn measure_first(&self, plan: Plan, count: u64) -> Result<Phase, Error> {
        self.measure_until(plan, Some(count)).await
    }

    async fn measure_until(&self, plan: Plan, count: Option<u64>) -> Result<Phase, Error> {
        self.database.checkpoint().await?;
        let load = self.load(plan.mode, plan.rate)?;
        let mut workers = JoinSet::new();
        for number in 0..plan.connections {
            let number_of_instance = if matches!(plan.mode, Mode::Follow(_)) { 0 } else { number };
            let other = plan.other.map(|(address, _)| address);
            let wire = Wire::new(self.address(number_of_instance, other));
            workers.spawn_local(drive::work(Rc::clone(&load), wire, number));
        }
        if count.is_none() {
            tokio::time::sleep(Duration::from_secs(self.seconds.0)).await;
        }
        let early = load.measure.borrow().refused.clone();
        let before = self.database.moment().await?;
        let spent = self.spent(&plan);
        load.measure.borrow_mut().restart();
        match count {
            None => tokio::time::sleep(Duration::from_secs(self.seconds.1)).await,
            Some(count) => reached(&load, plan.main, count).await,
        }
        let seconds = load.measure.borrow().elapsed().as_secs_f64();
        let counted = std::mem::replace(&mut *load.measure.borrow_mut(), Measure::new()?);
        let spent_then = self.spent(&plan);
        let after = self.database.moment().await?;
        load.stop.set(true);
        if tokio::time::timeout(END, async { while workers.join_next().await.is_some() {} }).await.is_err() {
            return Err(format!("{}: {} connections hang", plan.name, workers.len()).into());
        }
        let between = |then: Option<Duration>, now: Option<Duration>| Some(now?.saturating_sub(then?));
        let cost = Cost {
            database: self.database.change(&before, &after).await?,
            service: between(spent[0], spent_then[0]),
            client: between(spent[1], spent_then[1]),
            machine: between(spent[2], spent_then[2]),
            memory: self.pids(&plan).into_iter().map(machine::memory).sum(),
        };
        let mut phase = Phase::new(plan.name, plan.main, &counted, seconds, &cost);
        for (name, count) in early {
            *phase.refused.entry(format!("{name} (while warming up)")).or_default() += count;
        }
        Ok(phase)
    }

    /// Reads each match once, so that its tag is known.
    ///
    /// # Errors
    /// If a view is refused.
    pub async fn look_once(&self, connections: usize) -> Result<(), Error> {
        let load = self.load(Mode::Unchanged, None)?;
        let waiting = Matches::default();
        std::mem::swap(&mut *waiting.borrow_mut(), &mut *self.matches.borrow_mut());
        let mut workers = JoinSet::new();
        for number in 0..connections {
            let wire = Wire::new(self.address(number, None));
            workers.spawn_local(drive::look_once(Rc::clone(&load), wire, Rc::clone(&waiting)));
        }
        while let Some(done) = workers.join_next().await {
            done??;
        }
        Ok(())
    }

    /// A match's view from the seat to act, with that seat: typical of the answers to actions.
    ///
    /// # Errors
    /// If the view is refused.
    pub async fn sample(&self) -> Result<(String, usize), Error> {
        let load = self.load(Mode::View, None)?;
        drive::sample(load, Wire::new(self.address(0, None))).await
    }

    /// The last errors in the service's log.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let loud = text.lines().filter(|line| line.contains("ERROR") || line.contains("panicked"));
        loud.rev().take(5).map(str::to_owned).collect()
    }

    /// Where the last instance listens.
    #[must_use]
    pub fn last_address(&self) -> SocketAddr {
        self.address(self.instances.len().saturating_sub(1), None)
    }

    fn load(&self, mode: Mode, rate: Option<f64>) -> Result<Rc<Load>, Error> {
        self.seed.set(self.seed.get() + (1 << 16));
        Ok(Rc::new(Load {
            seed: self.seed.get(),
            people: Rc::clone(&self.people),
            matches: Rc::clone(&self.matches),
            measure: RefCell::new(Measure::new()?),
            mode,
            pace: rate.map(Pace::start),
            stop: Cell::new(false),
        }))
    }

    fn address(&self, number: usize, other: Option<SocketAddr>) -> SocketAddr {
        let ours = self.instances.iter().cycle().nth(number).map(|instance| instance.address);
        other.or(ours).unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 0)))
    }

    fn pids(&self, plan: &Plan) -> Vec<u32> {
        let ours = || self.instances.iter().map(Instance::pid).collect();
        plan.other.map_or_else(ours, |(_, pid)| vec![pid])
    }

    /// CPU time of the service, of this program, and of the machine.
    fn spent(&self, plan: &Plan) -> [Option<Duration>; 3] {
        let service = self.pids(plan).into_iter().map(machine::cpu).sum();
        [service, machine::cpu(std::process::id()), machine::busy()]
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // It is a temporary file; a leftover is harmless.
        let _ = std::fs::remove_file(&self.log);
    }
}

/// Waits until this many were answered, at most a minute.
async fn reached(load: &Load, kind: Kind, count: u64) {
    let begun = Instant::now();
    while load.measure.borrow().count(kind) < count && begun.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn own_cluster() -> Result<(Option<TestCluster>, String), Error> {
    let cluster = TestCluster::start()?;
    cluster.ensure_database(NAME)?;
    let url = cluster.url(NAME);
    Ok((Some(cluster), url))
}
