//! The program: reads its configuration, finds or brings up a database, serves until it is told to stop; or does
//! what needs no service and ends.

use std::process::ExitCode;

use crate::config::{Cli, Command};
use crate::{admin, cli, http, rebuild, run, telemetry};

/// Gives memory back: hashing a password takes 19 MB, which the system's allocator keeps, for each thread that ever did.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the executable does, from its arguments and its environment to its exit code.
#[must_use]
pub fn main() -> ExitCode {
    small_pages();
    let result = match Cli::command() {
        Command::Rules(command) => cli::run(&command),
        Command::Openapi { edition } => {
            cli::print(&http::openapi::document_text(edition)).map(success).map_err(Into::into)
        }
        Command::Fsck(options) => Ok(admin::fsck::run(&options)),
        Command::Admin(options) => admin::run(&options).map(success),
        Command::Rebuild(options) => rebuild::run(&options).map(success),
        Command::Health(options) => run::health(&options).map(success),
        #[cfg(feature = "play")]
        Command::Play(options) => yaniv_play::run(&options).map(success),
        Command::Serve(options) => {
            telemetry::start(&options.log_format);
            run::serve(&options).map(success)
        }
    };
    result.unwrap_or_else(|error| {
        eprintln!("yaniv: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            eprintln!("  because: {error}");
            cause = error.source();
        }
        ExitCode::FAILURE
    })
}

/// Memory in pages of 4 KB: with huge ones, which the allocator asks for, a service of 30 MB takes 100.
fn small_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        eprintln!("yaniv: huge pages cannot be switched off, which costs memory and nothing else: {error}");
    }
}

fn success((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
