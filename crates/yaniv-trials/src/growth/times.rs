//! A database of one size under load: single statements, stored actions at full speed, actions over HTTP.

use std::time::{Duration, Instant};

use clap::Parser as _;
use tokio::runtime::Handle;
use tokio_postgres::{Client, NoTls};
use yaniv_db::Store;

use super::options::Options;
use super::statements::{ALL, Subjects};
use crate::load::drive::Mode;
use crate::load::results::measure::Kind;
use crate::load::results::number::{median, real};
use crate::load::stage::{Plan, Stage};
use crate::player::Random;
use crate::{Error, load};

/// Actions per statement, and concurrent statements, when storing at full speed.
const BATCH: usize = 32;
const LANES: usize = 2;
/// Connections of players.
const CONNECTIONS: usize = 64;

/// A filled database, and its measurements.
pub struct Place {
    /// Its name.
    pub name: String,
    /// Where it is.
    pub url: String,
    /// How many matches were stored.
    pub matches: u64,
    /// A connection for queries of the measurement itself.
    pub client: Client,
    store: Store,
    /// Arguments of the statements.
    pub subjects: Subjects,
    stage: Option<Stage>,
    random: Random,
    /// Medians of each statement in microseconds, one for each round.
    medians: Vec<Vec<f64>>,
    /// The 99th percentiles.
    slowest: Vec<Vec<f64>>,
    /// Actions stored per second.
    pub stored: Vec<f64>,
    /// WAL bytes per action, including page images.
    pub wal: Vec<f64>,
    /// Over HTTP: actions per second, 99th percentile in milliseconds, WAL bytes and page image bytes per action.
    pub played: Vec<[f64; 4]>,
}

/// Opens a connection for the measurement's own queries.
///
/// # Errors
/// If it cannot be reached.
pub async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

impl Place {
    /// Prepares to measure statements.
    ///
    /// # Errors
    /// If the database cannot be asked.
    pub async fn prepare(name: String, url: String, matches: u64) -> Result<Self, Error> {
        let client = connect(&url).await?;
        let store = Store::new(&url, 4, &Handle::current())?;
        let subjects = Subjects::find(&client).await?;
        Ok(Self {
            name,
            url,
            matches,
            client,
            store,
            subjects,
            stage: None,
            random: Random(matches),
            medians: vec![Vec::new(); ALL.len()],
            slowest: vec![Vec::new(); ALL.len()],
            stored: Vec::new(),
            wal: Vec::new(),
            played: Vec::new(),
        })
    }

    /// Starts the service and its players. Their access tokens expire soon: call it just before measuring.
    ///
    /// # Errors
    /// If the service does not start.
    pub async fn begin_play(&mut self, options: &Options) -> Result<(), Error> {
        self.stage = None;
        if options.seconds > 0 {
            let seconds = options.seconds.to_string();
            let arguments = ["load", "--database-url", &self.url, "--seconds", &seconds];
            self.stage = Some(Stage::set(&load::options::Options::parse_from(arguments)).await?);
        }
        Ok(())
    }

    /// Measures everything once more.
    ///
    /// # Errors
    /// Those of the database and of the service.
    pub async fn round(&mut self, options: &Options) -> Result<(), Error> {
        self.statements().await?;
        let lsn = "SELECT (pg_current_wal_insert_lsn() - '0/0')::float8";
        let before: f64 = self.client.query_one(lsn, &[]).await?.try_get(0)?;
        let rate = self.store(options.actions).await?;
        let after: f64 = self.client.query_one(lsn, &[]).await?.try_get(0)?;
        self.stored.push(rate);
        self.wal.push((after - before) / real(options.actions.max(1)));
        if let Some(stage) = &self.stage {
            let plan = Plan {
                name: self.name.clone(),
                mode: Mode::Act,
                connections: CONNECTIONS,
                main: Kind::Action,
                rate: None,
                other: None,
            };
            let phase = stage.measure(plan).await?;
            for (what, count) in &phase.refused {
                eprintln!("{}: {count} times {what}", self.name);
            }
            self.played.push(["rate", "p99", "wal", "images"].map(|name| phase.get(name)));
        }
        let played = self.played.last().map(|[rate, ..]| format!(", {rate:.0} played")).unwrap_or_default();
        eprintln!("{}: {rate:.0} actions stored a second{played}", self.name);
        Ok(())
    }

    /// Times each statement.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn statements(&mut self) -> Result<(), Error> {
        let saving = self.store.lane_connection().await?;
        let other = self.store.connection().await?;
        for (number, (asked, times)) in ALL.into_iter().enumerate() {
            let connection = if asked.has_a_lane() { &saving } else { &other };
            let mut micros = Vec::with_capacity(times);
            for time in 0..times + times / 5 {
                let took = self.subjects.ask(connection, asked, &mut self.random).await?;
                if time >= times / 5 {
                    micros.push(took.as_secs_f64() * 1e6);
                }
            }
            micros.sort_by(f64::total_cmp);
            let last = micros.get(micros.len() * 99 / 100).copied().unwrap_or_default();
            if let (Some(medians), Some(slowest)) =
                (self.medians.get_mut(number), self.slowest.get_mut(number))
            {
                medians.push(median(micros));
                slowest.push(last);
            }
        }
        Ok(())
    }

    /// Stores actions at full speed; returns how many per second.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn store(&mut self, actions: u64) -> Result<f64, Error> {
        let mut lanes = Vec::new();
        let half = self.subjects.live.len() / LANES;
        for lane in 0..LANES {
            let mut subjects = self.subjects.clone();
            subjects.live = self.subjects.live.iter().skip(lane * half).take(half).cloned().collect();
            lanes.push((self.store.lane_connection().await?, subjects));
        }
        let statements = usize::try_from(actions)? / BATCH / LANES;
        let begun = Instant::now();
        let mut workers = tokio::task::JoinSet::new();
        for (connection, mut subjects) in lanes {
            workers.spawn_local(async move {
                for number in 0..statements {
                    subjects.act(&connection, number * BATCH, BATCH).await?;
                }
                Ok::<_, Error>(subjects.live)
            });
        }
        let mut live = Vec::new();
        while let Some(done) = workers.join_next().await {
            live.append(&mut done??);
        }
        let seconds = begun.elapsed().as_secs_f64();
        self.subjects.live = live;
        let stored = u64::try_from(statements * BATCH * LANES)?;
        Ok(real(stored) / seconds)
    }

    /// Median and 99th percentile of a statement, by its index in the list.
    #[must_use]
    pub fn times(&self, number: usize) -> (f64, f64) {
        let of = |all: &[Vec<f64>]| median(all.get(number).cloned().unwrap_or_default());
        (of(&self.medians), of(&self.slowest))
    }

    /// Discards the measurements.
    pub fn forget(&mut self) {
        self.medians.iter_mut().chain(&mut self.slowest).for_each(Vec::clear);
        self.stored.clear();
        self.wal.clear();
        self.played.clear();
    }

    /// Warnings and errors in the service's log.
    #[must_use]
    pub fn complaints(&self) -> Vec<String> {
        self.stage.as_ref().map(Stage::complaints).unwrap_or_default()
    }

    /// Closes its connections and the service.
    pub async fn leave(self) {
        drop(self);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
