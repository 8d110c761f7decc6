//! Yaniv in a terminal: `yaniv play`. It reads and writes lines, on any terminal and through pipes, and knows nothing
//! of the service but its API, through `yaniv-client`.
//!
//! Where a turn is on its way and the network fails, the same request is sent with the same key until it is answered.
//! What is remembered between two runs is in `memory`; the password is not.

// In reading order: what is written and read; who plays where; the matches; a match; what is said about it.
mod cards;
mod paint;
mod terminal;

mod account;
mod guest;
mod memory;

mod create;
mod lobby;
mod room;

mod auto;
mod commands;
mod game;
mod throws;

#[cfg(test)]
mod sample;

mod clock;
mod help;
mod rules_text;
mod scores;
mod story;
mod table;

use std::io;
use std::time::Duration;

use clap::Args;
use yaniv_client::Failure;

/// Where a service listens that was started without being told where.
pub const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// Who plays where.
#[derive(Clone, Debug, Args)]
pub struct PlayOptions {
    /// The code of a match, to join or to open it.
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    /// The service; without it the one of the last time, or that of this machine at port 8080.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The name to play under; without it the one of the last time.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Let the program choose the moves, as a simple player would.
    #[arg(long)]
    pub auto: bool,
    /// Milliseconds between two looks at a match.
    #[arg(long, hide = true, default_value_t = 2_000)]
    pub poll: u64,
}

/// Why playing has come to an end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// The player is done, or there is no more input.
    #[error("done")]
    Quit,
    /// The service does not do it.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The terminal is gone, or a file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Plays until the player has had enough.
///
/// # Errors
/// If the address cannot be one, the service refuses what nobody can mend here, or there is nothing to write to.
pub fn run(options: &PlayOptions) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let played = runtime.block_on(play(options));
    // A line may still be waited for on another thread; nobody needs it any more.
    runtime.shutdown_timeout(Duration::ZERO);
    match played {
        Ok(()) | Err(Stop::Quit) => Ok(()),
        // Whoever reads has gone, as `head` does.
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(Stop::Io(error)) => Err(error.into()),
        Err(Stop::Failed(failure)) => Err(failure.into()),
    }
}

async fn play(options: &PlayOptions) -> Result<(), Stop> {
    let mut guest = account::sign_in(options).await?;
    if let Some(code) = &options.code {
        let followed = lobby::follow(&mut guest, code).await;
        lobby::settle(&mut guest, followed)?;
        if options.auto {
            return Ok(());
        }
    }
    lobby::stay(&mut guest).await
}
