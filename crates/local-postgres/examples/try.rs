//! Demonstrates this crate: `cargo run -p local-postgres --example try -- [directory]`. With a second argument, `keep`,
//! the server keeps running.

use std::error::Error as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use local_postgres::{Cluster, Error, default_dir, find};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            let mut source = error.source();
            while let Some(cause) = source {
                eprintln!("  because: {cause}");
                source = cause.source();
            }
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().map_or_else(default_dir, |dir| Ok(PathBuf::from(dir)))?;

    let begin = Instant::now();
    let binaries = find()?;
    println!("{:>9.1?}  found {} in {}", begin.elapsed(), binaries.version(), binaries.dir().display());

    let begin = Instant::now();
    let cluster = Cluster::start(&dir)?;
    println!("{:>9.1?}  started in {}", begin.elapsed(), dir.display());

    let begin = Instant::now();
    cluster.ensure_database("try")?;
    println!("{:>9.1?}  database at {}", begin.elapsed(), cluster.url("try"));

    if arguments.next().is_none() {
        let begin = Instant::now();
        cluster.stop()?;
        println!("{:>9.1?}  stopped", begin.elapsed());
    }
    Ok(())
}
