//! Terminal client: `yaniv play`. It reads and writes lines, on any terminal and through pipes, and uses only the API,
//! through `yaniv-client`.
//!
//! When the network fails, a request is retried with the same key until it is answered. `memory` stores what is kept
//! between two runs; the password is not.

// In reading order.
mod screen;

mod account;

mod lobby;

mod game;

mod texts;

#[cfg(test)]
mod sample;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use yaniv_client::Failure;

use crate::account::{link, log_in, newcomer};
use crate::lobby::menu;

/// Default URL of the service.
pub const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// Options of `yaniv play`.
#[derive(Clone, Debug, Args)]
pub struct PlayOptions {
    /// Code of a match to join or open, or a link with it.
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    /// The same: a link that ends in /join/CODE, of any service, or the code.
    #[arg(long, value_name = "LINK", conflicts_with = "code")]
    pub join: Option<String>,
    /// Play with any players, this many in all (default 2); the match begins when enough have asked.
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "2",
        value_parser = clap::value_parser!(i32).range(2..=10), conflicts_with_all = ["code", "join"])]
    pub pair: Option<i32>,
    /// Challenge these players; the match begins when all have accepted.
    #[arg(long, value_name = "NAME[,NAME]", conflicts_with_all = ["code", "join", "pair"])]
    pub challenge: Option<String>,
    /// Rules for --pair or --challenge: a name, and options, typed as for a new match.
    #[arg(long, value_name = "RULES", default_value = "", hide_default_value = true)]
    pub rules: String,
    /// URL of the service; by default the last one used, or port 8080 of this machine.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// User name; by default the last one used.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Play at once as a guest, without name and password.
    #[arg(long, conflicts_with = "user")]
    pub guest: bool,
    /// As a guest: keep the account, with this name and a password.
    #[arg(long, value_name = "NAME", conflicts_with = "user")]
    pub claim: Option<String>,
    /// Log out on this machine, and exit.
    #[arg(long, conflicts_with_all = ["code", "join", "pair", "challenge", "claim"])]
    pub log_out: bool,
    /// File that keeps you logged in; by default yaniv/play.json in your state directory (~/.local/state).
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Let the program choose the moves, like a simple bot.
    #[arg(long)]
    pub auto: bool,
    /// Polling interval of a match, in milliseconds.
    #[arg(long, hide = true, default_value_t = 2_000)]
    pub poll: u64,
}

impl PlayOptions {
    /// The shared code or link.
    pub(crate) fn shared(&self) -> Option<&str> {
        self.join.as_deref().or(self.code.as_deref())
    }
}

/// Why playing ended.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// The player is done, or the input has ended.
    #[error("done")]
    Quit,
    /// Invalid input; the text explains why.
    #[error("{0}")]
    Unclear(String),
    /// A request failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// The terminal is gone, or a file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Plays until the player quits.
///
/// # Errors
/// If the URL is invalid, the service refuses permanently, or the output cannot be written.
pub fn run(options: &PlayOptions) -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let played = runtime.block_on(play(options));
    // Another thread may still wait for a line; it is no longer needed.
    runtime.shutdown_timeout(Duration::ZERO);
    match played {
        Ok(()) | Err(Stop::Quit) => Ok(()),
        // The reader of the output has exited, like `head`.
        Err(Stop::Io(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(Stop::Io(error)) => Err(error.into()),
        Err(Stop::Failed(failure)) => Err(failure.into()),
        Err(Stop::Unclear(why)) => Err(why.into()),
    }
}

async fn play(options: &PlayOptions) -> Result<(), Stop> {
    if options.log_out {
        return log_in::sign_out(options).await;
    }
    let mut guest = log_in::sign_in(options).await?;
    if let Some(name) = &options.claim {
        let claimed = newcomer::claim(&mut guest, name).await;
        menu::settle(&mut guest, claimed)?;
    }
    let went = if let Some(shared) = options.shared() {
        let code = link::read(shared).code;
        // An explicit `--server` overrides the link's.
        menu::follow(&mut guest, if options.server.is_some() { &code } else { shared }).await
    } else if let Some(size) = options.pair {
        menu::pair(&mut guest, size, &options.rules).await
    } else if let Some(names) = &options.challenge {
        menu::challenge(&mut guest, names, &options.rules).await
    } else {
        return menu::stay(&mut guest).await;
    };
    menu::settle(&mut guest, went)?;
    if options.auto { Ok(()) } else { menu::stay(&mut guest).await }
}
