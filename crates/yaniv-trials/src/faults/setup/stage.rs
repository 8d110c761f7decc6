//! Test environment of a trial: a fresh database, and two or three instances of the service that can be killed and
//! restarted under the same addresses.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::Error;
use crate::faults::clients::group::Group;
use crate::faults::setup::database::Database;
use crate::faults::setup::moved_clock::MovedClock;
use crate::faults::trial::Context;
use crate::instance::{Instance, Options};

/// Connections of each instance to the database.
pub const CONNECTIONS: usize = 8;

/// A database and the instances on it.
pub struct Stage {
    /// The database's address, for the trial.
    pub url: String,
    /// Where the instances listen.
    pub addresses: Vec<SocketAddr>,
    /// Groups kept for the next trial.
    pub groups: Vec<Group>,
    instances: Vec<Option<Instance>>,
    options: Vec<Options>,
}

impl Stage {
    /// A fresh database in the shared cluster, and two instances on it.
    ///
    /// # Errors
    /// If anything does not start.
    pub fn new(context: &Context, name: &str) -> Result<Self, Error> {
        Self::with(context, name, &[])
    }

    /// The same, with additional environment variables.
    ///
    /// # Errors
    /// If anything does not start.
    pub fn with(context: &Context, name: &str, environment: &[(&str, &str)]) -> Result<Self, Error> {
        let mut shared = context.cluster()?;
        let database = fresh_name(name);
        let cluster = shared.get()?;
        cluster.ensure_database(&database)?;
        let url = cluster.url(&database);
        drop(shared);
        Self::on(context, name, url, environment)
    }

    /// Two instances on an existing database.
    ///
    /// # Errors
    /// If anything does not start.
    pub fn on(
        context: &Context,
        name: &str,
        url: String,
        environment: &[(&str, &str)],
    ) -> Result<Self, Error> {
        Self::of(context, name, url, &[environment; 2])
    }

    /// A fresh database with a movable clock, and three instances on it, optionally with additional environment
    /// variables each.
    ///
    /// # Errors
    /// If anything does not start.
    pub fn timed(
        context: &Context,
        name: &str,
        environments: &[&[(&str, &str)]; 3],
    ) -> Result<(Self, MovedClock), Error> {
        let mut shared = context.cluster()?;
        let database = fresh_name(name);
        let cluster = shared.get()?;
        cluster.ensure_database(&database)?;
        let url = cluster.url(&database);
        drop(shared);
        let clock = context.runtime.block_on(MovedClock::install(&url))?;
        Ok((Self::of(context, name, url, environments)?, clock))
    }

    /// One instance per environment, on an existing database.
    fn of(
        context: &Context,
        name: &str,
        url: String,
        environments: &[&[(&str, &str)]],
    ) -> Result<Self, Error> {
        let database_url = match &context.tls {
            Some(tls) => tls.url(&url)?,
            None => url.clone(),
        };
        let mut stage = Self {
            url,
            addresses: Vec::new(),
            groups: Vec::new(),
            instances: Vec::new(),
            options: Vec::new(),
        };
        for (number, environment) in environments.iter().enumerate() {
            let log = context.directory.join(format!("{}-{number}.log", fresh_name(name)));
            let options = options_of(&database_url, log, environment);
            let instance = Instance::start(&options)?;
            stage.addresses.push(instance.address);
            stage.options.push(Options { address: Some(instance.address), ..options });
            stage.instances.push(Some(instance));
        }
        Ok(stage)
    }

    /// The logs of the instances.
    #[must_use]
    pub fn logs(&self) -> Vec<PathBuf> {
        self.options.iter().map(|options| options.log.clone()).collect()
    }

    /// The database, for the checker and for planting bugs.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub async fn database(&self) -> Result<Database, Error> {
        Database::connect(&self.url).await
    }

    /// How many instances there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.instances.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty()
    }

    /// Kills an instance with SIGKILL.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn kill9(&mut self, number: usize) -> Result<(), Error> {
        self.instances.get_mut(number).and_then(Option::take).map_or(Ok(()), Instance::kill9)
    }

    /// Stops an instance; returns how long that took.
    ///
    /// # Errors
    /// If it does not exit in time, or not by itself.
    pub fn terminate(&mut self, number: usize, within: Duration) -> Result<Duration, Error> {
        let instance = self.instances.get_mut(number).and_then(Option::take);
        instance.ok_or("the instance is not running")?.terminate(within)
    }

    /// Restarts an instance under its old address.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(&mut self, number: usize) -> Result<(), Error> {
        self.start_program(number, None)
    }

    /// The same with another build of the service.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start_program(&mut self, number: usize, program: Option<&PathBuf>) -> Result<(), Error> {
        let options = self.options.get(number).ok_or("there is no such instance")?;
        let instance = match program {
            Some(program) => Instance::start_program(options, program)?,
            None => Instance::start(options)?,
        };
        if let Some(place) = self.instances.get_mut(number) {
            *place = Some(instance);
        }
        Ok(())
    }

    /// The process id of an instance.
    #[must_use]
    pub fn pid(&self, number: usize) -> Option<u32> {
        self.instances.get(number)?.as_ref().map(Instance::pid)
    }
}

fn options_of(database_url: &str, log: PathBuf, environment: &[(&str, &str)]) -> Options {
    let connections = CONNECTIONS.to_string();
    let mut all = vec![
        ("YANIV_DATABASE_CONNECTIONS".to_owned(), connections),
        ("YANIV_WORKERS".to_owned(), "2".to_owned()),
        ("RUST_LOG".to_owned(), "info".to_owned()),
    ];
    all.extend(environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    Options { database_url: database_url.to_owned(), address: None, log, environment: all }
}

/// A name unique in this run.
fn fresh_name(name: &str) -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("{name}_{}", COUNT.fetch_add(1, Ordering::Relaxed))
}
