//! Log-in and log-out: choice of the service and name, the stored session or the password.

use std::time::Duration;

use yaniv_client::types::Session;
use yaniv_client::{Failure, Server};

use crate::account::link;
use crate::account::memory::{LogIn, Memory, Tokens};
use crate::account::newcomer::{answered, ask_name, play_as_guest, register};
use crate::account::player::{Entry, Guest};
use crate::screen::terminal::Terminal;
use crate::{DEFAULT_SERVER, PlayOptions, Stop};

/// How long the service may be silent before the player is informed.
const PATIENCE: Duration = Duration::from_secs(4);

/// Determines service and account, and logs in.
pub(crate) async fn sign_in(options: &PlayOptions) -> Result<Guest, Stop> {
    let mut terminal = Terminal::new();
    let mut memory = Memory::load(options.state.as_deref());
    let (server, known) = place(options, &memory)?;
    reach(&mut terminal, &server).await?;
    if server.is_in_the_open() {
        terminal.say("This address is not encrypted: others on the network can read your password.")?;
    }
    let mut kept = Ok(());
    let entry = match &known {
        Some(log_in) => match Entry::of(log_in) {
            Some(entry) => {
                terminal.say(&format!("You are {} at {}.", entry.name, server.url()))?;
                entry
            }
            None => {
                terminal.say(&format!("Welcome back to {}, {}.", server.url(), log_in.name))?;
                let session = log_in_as(&mut terminal, &memory, &server, &log_in.name).await?;
                enter(&mut memory, &server, &session, &mut kept)
            }
        },
        None => {
            let session = introduce(&mut terminal, &memory, &server, options).await?;
            enter(&mut memory, &server, &session, &mut kept)
        }
    };
    let first = memory.put_first(server.url(), &entry.name);
    let mut guest = Guest::new(terminal, memory, &server, entry)?;
    guest.complain(kept.and(first))?;
    (guest.auto, guest.always_auto) = (options.auto, options.auto);
    guest.poll = Duration::from_millis(options.poll.max(1));
    Ok(guest)
}

/// Ends the stored session.
pub(crate) async fn sign_out(options: &PlayOptions) -> Result<(), Stop> {
    let mut terminal = Terminal::new();
    let memory = Memory::load(options.state.as_deref());
    let (server, known) = place(options, &memory)?;
    let Some(entry) = known.as_ref().and_then(Entry::of) else {
        return Ok(terminal.say(&format!("You are not logged in at {}.", server.url()))?);
    };
    if entry.unnamed {
        let text = format!("Nobody can be {} afterwards, you neither. Log out?", entry.name);
        if !terminal.confirm(&text).await? {
            return Ok(());
        }
    }
    let mut guest = Guest::new(terminal, memory, &server, entry)?;
    guest.log_out().await?;
    let text = format!("{} is logged out of {}.", guest.name, server.url());
    Ok(guest.terminal.say(&text)?)
}

/// The service, and the stored log-in to use there.
fn place(options: &PlayOptions, memory: &Memory) -> Result<(Server, Option<LogIn>), Stop> {
    let linked = options.shared().and_then(|text| link::read(text).server);
    let given = options.server.as_deref().map(with_scheme).or(linked);
    let wanted = |log_in: &LogIn| {
        let server = given.as_ref().is_none_or(|server| *server == log_in.server);
        let name = options.user.as_ref().is_none_or(|name| *name == log_in.name);
        server && name
    };
    let guest = memory.find(|log_in| wanted(log_in) && log_in.guest);
    let known = match guest {
        _ if options.guest => guest,
        // A guest account can only be claimed by its own session.
        Some(guest) if options.claim.is_some() => Some(guest),
        _ => memory.find(wanted),
    };
    let url = given.as_deref().or(known.map(|log_in| log_in.server.as_str())).unwrap_or(DEFAULT_SERVER);
    Ok((Server::new(url)?.with_patience(PATIENCE), known.cloned()))
}

fn enter(memory: &mut Memory, server: &Server, session: &Session, kept: &mut std::io::Result<()>) -> Entry {
    let (tokens, unnamed) = (Tokens::of(session), session.account.guest.unwrap_or(false));
    *kept = memory.keep(server.url(), session, &tokens);
    Entry { name: session.account.username.to_string(), unnamed, tokens }
}

/// Waits until the service answers.
async fn reach(terminal: &mut Terminal, server: &Server) -> Result<(), Stop> {
    let (mut told, hasty) = (false, server.clone().with_patience(Duration::from_secs(1)));
    loop {
        match hasty.health().await {
            Ok(_) => return Ok(()),
            Err(Failure::Unanswered(why)) if told => drop(why),
            Err(Failure::Unanswered(why)) => {
                told = true;
                terminal.say(&format!(
                    "No answer from {} ({why}).\nTo bring up a service on this machine, type  yaniv  in another \
                     terminal; for another one there is --server URL.\nI keep trying; Ctrl-C ends.",
                    server.url()
                ))?;
            }
            Err(failure) => return Err(failure.into()),
        }
    }
}

/// First log-in on this machine: register, log in, or play as a guest.
async fn introduce(
    terminal: &mut Terminal,
    memory: &Memory,
    server: &Server,
    options: &PlayOptions,
) -> Result<Session, Stop> {
    terminal.say(&format!("Welcome to Yaniv at {}.", server.url()))?;
    if options.guest {
        return welcome_guest(terminal, server).await;
    }
    let mut name = options.user.clone();
    if name.is_none() {
        terminal.say("Just Enter instead of a name: play at once, as a guest.")?;
    }
    loop {
        let name = match name.take() {
            Some(name) => name,
            None => match ask_name(terminal).await? {
                Some(name) => name,
                None => return welcome_guest(terminal, server).await,
            },
        };
        let answer = terminal.ask(&format!("Is {name} a new player here? [y/n]")).await?;
        let (greeting, session) = match answer.to_lowercase().as_str() {
            "y" | "yes" => ("You are registered", register(terminal, server, &name).await?),
            "n" | "no" => ("You are logged in", Some(log_in_as(terminal, memory, server, &name).await?)),
            _ => {
                terminal.say("y: you choose a password now; n: you have one from an earlier time.")?;
                continue;
            }
        };
        if let Some(session) = session {
            terminal.say(&format!("{greeting} as {}.", *session.account.username))?;
            return Ok(session);
        }
    }
}

async fn welcome_guest(terminal: &mut Terminal, server: &Server) -> Result<Session, Stop> {
    let session = play_as_guest(terminal, server).await?;
    terminal.say(&format!(
        "You play as {}. You stay that on this machine; to be it elsewhere, too, choose a name:  claim NAME",
        *session.account.username
    ))?;
    Ok(session)
}

async fn log_in_as(
    terminal: &mut Terminal,
    memory: &Memory,
    server: &Server,
    name: &str,
) -> Result<Session, Stop> {
    let device = memory.device_token(server.url(), name);
    loop {
        let password = terminal.password(&format!("Password of {name}:")).await?;
        let log_in = async || server.log_in_on(name, &password, device.as_deref()).await;
        match answered(terminal, log_in).await {
            Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "invalid_credentials" => {
                terminal.say("No such name, or another password.")?;
            }
            Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
                terminal.say(&format!("Not accepted: {failure}."))?;
            }
            session => return session,
        }
    }
}

fn with_scheme(address: &str) -> String {
    let address = address.trim_end_matches('/');
    if address.contains("://") { address.to_owned() } else { format!("http://{address}") }
}
