//! The program: reads the configuration and runs the command; by default starts or connects to a database and
//! serves until a signal.

use std::process::ExitCode;

use yaniv_http;

use crate::config::{Cli, Command, ConfigCommand, check, environment};
use crate::{admin, archive, cli, rebuild, run, telemetry};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Returns memory to the system: a password hash takes 19 MB, which the default allocator would keep for each
/// thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the executable: from arguments and environment to the exit code.
#[must_use]
pub fn main() -> ExitCode {
    small_pages();
    let result = run();
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

fn run() -> Result<ExitCode, AnyError> {
    let (command, matches) = Cli::command_given();
    let command = command.ok_or("no command")?;
    // A misspelt variable could select another database or service than intended.
    if matches!(command, Command::Admin(_) | Command::Rebuild(_) | Command::Fsck(_) | Command::Health(_)) {
        refuse(&environment::unknown_variables())?;
    }
    match command {
        Command::Rules(command) => cli::run(&command),
        Command::Config(ConfigCommand::Check(options)) => check::run(&options, &matches),
        Command::Openapi { edition } => {
            cli::print(&yaniv_http::openapi::document_text(edition)).map(success).map_err(Into::into)
        }
        Command::Fsck(options) => Ok(admin::fsck::run(&options)),
        Command::Admin(options) => admin::run(&options).map(success),
        Command::Rebuild(options) => rebuild::run(&options).map(success),
        Command::Archive(options) => archive::run(&options).map(success),
        Command::Health(options) => run::health(&options).map(success),
        Command::Serve(options) => {
            refuse(&check::problems(&options))?;
            // Exports the last traces when it is dropped.
            let _traces = telemetry::start(&options.log_format)?;
            run::serve(&options).map(success)
        }
    }
}

/// An error if there are any problems.
fn refuse(problems: &[String]) -> Result<(), AnyError> {
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\nyaniv: ").into()) }
}

/// Disables huge pages: with them, which the allocator requests, a service of 30 MB takes 100 MB.
fn small_pages() {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::thread::disable_transparent_huge_pages(true) {
        eprintln!("yaniv: huge pages cannot be switched off, which costs memory and nothing else: {error}");
    }
}

fn success((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
