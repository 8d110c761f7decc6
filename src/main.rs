//! The program: reads its configuration, finds or brings up a database, serves until it is told to stop; or does
//! what needs no service and ends.

use std::process::ExitCode;

use clap::Parser;
use yaniv::config::{Cli, Command};
use yaniv::{cli, http, run, telemetry};

fn main() -> ExitCode {
    let Cli { command, serve } = Cli::parse();
    let result = match command {
        Some(Command::Rules(command)) => cli::run(&command),
        Some(Command::Openapi) => {
            cli::print(&http::openapi::document_text()).map(success).map_err(Into::into)
        }
        Some(Command::Health) => run::health(&serve).map(success),
        Some(Command::Serve) | None => {
            telemetry::start(&serve.log_format);
            run::serve(&serve).map(success)
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

fn success((): ()) -> ExitCode {
    ExitCode::SUCCESS
}
