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
mod link;
mod memory;
mod newcomer;
mod staying;

mod challenge;
mod create;
mod lobby;
mod pairing;
mod room;

mod after;
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
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use yaniv_client::Failure;

/// Where a service listens that was started without being told where.
pub const DEFAULT_SERVER: &str = "http://127.0.0.1:8080";

/// Who plays where.
#[derive(Clone, Debug, Args)]
pub struct PlayOptions {
    /// The code of a match, to join or to open it; or a link with it.
    #[arg(value_name = "CODE")]
    pub code: Option<String>,
    /// The same: a link that ends in /join/CODE, of any service, or the code.
    #[arg(long, value_name = "LINK", conflicts_with = "code")]
    pub join: Option<String>,
    /// Play with whoever wants to, as so many players (2 unless given); the match begins when enough want to.
    #[arg(long, value_name = "SIZE", num_args = 0..=1, default_missing_value = "2",
        value_parser = clap::value_parser!(i32).range(2..=10), conflicts_with_all = ["code", "join"])]
    pub pair: Option<i32>,
    /// Challenge these people; the match begins when all have accepted.
    #[arg(long, value_name = "NAME[,NAME]", conflicts_with_all = ["code", "join", "pair"])]
    pub challenge: Option<String>,
    /// Rules for --pair or --challenge: a name, and options if wanted, as they are typed for a new match.
    #[arg(long, value_name = "RULES", default_value = "", hide_default_value = true)]
    pub rules: String,
    /// The service; without it the one of the last time, or that of this machine at port 8080.
    #[arg(long, value_name = "URL")]
    pub server: Option<String>,
    /// The name to play under; without it the one of the last time.
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// Play at once, without a name and a password.
    #[arg(long, conflicts_with = "user")]
    pub guest: bool,
    /// As a guest: keep the account, under this name and with a password.
    #[arg(long, value_name = "NAME", conflicts_with = "user")]
    pub claim: Option<String>,
    /// Log out on this machine, and end.
    #[arg(long, conflicts_with_all = ["code", "join", "pair", "challenge", "claim"])]
    pub log_out: bool,
    /// The file that keeps you logged in; without it yaniv/play.json in your state directory (~/.local/state).
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,
    /// Let the program choose the moves, as a simple player would.
    #[arg(long)]
    pub auto: bool,
    /// Milliseconds between two looks at a match.
    #[arg(long, hide = true, default_value_t = 2_000)]
    pub poll: u64,
}

impl PlayOptions {
    /// The code or link that somebody has shared.
    pub(crate) fn shared(&self) -> Option<&str> {
        self.join.as_deref().or(self.code.as_deref())
    }
}

/// Why playing has come to an end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Stop {
    /// The player is done, or there is no more input.
    #[error("done")]
    Quit,
    /// What was typed does not fit; this says why.
    #[error("{0}")]
    Unclear(String),
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
        Err(Stop::Unclear(why)) => Err(why.into()),
    }
}

async fn play(options: &PlayOptions) -> Result<(), Stop> {
    if options.log_out {
        return account::sign_out(options).await;
    }
    let mut guest = account::sign_in(options).await?;
    if let Some(name) = &options.claim {
        let claimed = newcomer::claim(&mut guest, name).await;
        lobby::settle(&mut guest, claimed)?;
    }
    let went = if let Some(shared) = options.shared() {
        let code = link::read(shared).code;
        // Who names the service has told where the link leads.
        lobby::follow(&mut guest, if options.server.is_some() { &code } else { shared }).await
    } else if let Some(size) = options.pair {
        lobby::pair(&mut guest, size, &options.rules).await
    } else if let Some(names) = &options.challenge {
        lobby::challenge(&mut guest, names, &options.rules).await
    } else {
        return lobby::stay(&mut guest).await;
    };
    lobby::settle(&mut guest, went)?;
    if options.auto { Ok(()) } else { lobby::stay(&mut guest).await }
}
