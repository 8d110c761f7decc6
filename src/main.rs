//! The program: reads its configuration, finds or brings up a database, serves until it is told to stop.

use std::process::ExitCode;

use clap::Parser;
use yaniv::config::{Cli, Command};
use yaniv::{http, run, telemetry};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Some(Command::Openapi) => {
            print!("{}", http::openapi::document_text());
            Ok(())
        }
        Some(Command::Health) => run::health(&cli.serve),
        Some(Command::Serve) | None => {
            telemetry::start(&cli.serve.log_format);
            run::serve(&cli.serve)
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("yaniv: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  because: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    }
}
