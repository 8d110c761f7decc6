//! Getting in: the service, the name, the password or a log-in that is still good; registering who is new.

use std::time::Duration;

use chrono::{TimeDelta, Utc};
use yaniv_client::types::Session;
use yaniv_client::{Failure, Server};

use crate::guest::{Entry, Guest, remember};
use crate::memory::Memory;
use crate::terminal::Terminal;
use crate::{DEFAULT_SERVER, PlayOptions, Stop};

/// How long the service may be silent before the player is told.
const PATIENCE: Duration = Duration::from_secs(4);

/// Finds out who plays where, and logs them in.
pub(crate) async fn sign_in(options: &PlayOptions) -> Result<Guest, Stop> {
    let mut terminal = Terminal::new();
    let mut memory = Memory::load();
    let given = options.server.as_deref().map(with_scheme);
    let known = memory.find(given.as_deref(), options.user.as_deref()).cloned();
    let url = given
        .or_else(|| known.as_ref().map(|log_in| log_in.server.clone()))
        .unwrap_or_else(|| DEFAULT_SERVER.to_owned());
    let server = Server::new(&url)?.with_patience(PATIENCE);
    reach(&mut terminal, &server).await?;
    if server.is_in_the_open() {
        terminal.say("This address is not encrypted: whoever is on the way can read your password.")?;
    }
    let known = known.filter(|log_in| log_in.server == server.url());
    let entry = match known {
        Some(log_in) if log_in.expires_at > Utc::now() + TimeDelta::seconds(30) => {
            terminal.say(&format!("You are {} at {}.", log_in.name, server.url()))?;
            Entry { name: log_in.name, token: log_in.token, password: None }
        }
        Some(log_in) => {
            terminal.say(&format!("Welcome back to {}, {}.", server.url(), log_in.name))?;
            log_in_as(&mut terminal, &mut memory, &server, log_in.name).await?
        }
        None => introduce(&mut terminal, &mut memory, &server, options.user.clone()).await?,
    };
    let mut guest = Guest::new(terminal, memory, &server, entry)?;
    guest.auto = options.auto;
    guest.poll = Duration::from_millis(options.poll.max(1));
    Ok(guest)
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

/// Somebody whom this machine does not know.
async fn introduce(
    terminal: &mut Terminal,
    memory: &mut Memory,
    server: &Server,
    name: Option<String>,
) -> Result<Entry, Stop> {
    terminal.say(&format!("Welcome to Yaniv at {}.", server.url()))?;
    let mut name = name;
    loop {
        let name = match name.take() {
            Some(name) => name,
            None => ask_name(terminal).await?,
        };
        let answer = terminal.ask(&format!("Is {name} a new player here? [y/n]")).await?;
        let (new, entry) = match answer.to_lowercase().as_str() {
            "y" | "yes" => (true, register(terminal, memory, server, name).await?),
            "n" | "no" => (false, Some(log_in_as(terminal, memory, server, name).await?)),
            _ => {
                terminal.say("y: you choose a password now; n: you have one from an earlier time.")?;
                continue;
            }
        };
        if let Some(entry) = entry {
            let greeting = if new { "You are registered" } else { "You are logged in" };
            terminal.say(&format!("{greeting} as {}.", entry.name))?;
            return Ok(entry);
        }
    }
}

async fn ask_name(terminal: &mut Terminal) -> Result<String, Stop> {
    loop {
        let name = terminal.ask("Your name:").await?.to_lowercase();
        let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
        if (3..=20).contains(&name.len()) && name.chars().all(letters) {
            return Ok(name);
        }
        terminal.say("A name has 3 to 20 letters a to z, digits or underscores.")?;
    }
}

/// Registers; `None` if the name is somebody else's.
async fn register(
    terminal: &mut Terminal,
    memory: &mut Memory,
    server: &Server,
    name: String,
) -> Result<Option<Entry>, Stop> {
    let mut invitation = None;
    loop {
        let password = terminal.password("Choose a password (8 characters or more):").await?;
        if !(8..=128).contains(&password.chars().count()) {
            terminal.say("It needs 8 to 128 characters.")?;
            continue;
        }
        if terminal.password("The same again:").await? != password {
            terminal.say("That was not the same.")?;
            continue;
        }
        let session = loop {
            let register = async || server.register_by(&name, &password, invitation.as_deref()).await;
            match answered(terminal, register).await {
                Err(Stop::Failed(Failure::Refused(problem))) if problem.code.starts_with("invitation_") => {
                    terminal.say(&format!("{}.", &*problem.title))?;
                    invitation = Some(terminal.ask("The code of your invitation:").await?);
                }
                session => break session,
            }
        };
        match session {
            Ok(session) => {
                remember(memory, server, &session);
                let token = session.access_token.to_string();
                return Ok(Some(Entry { name, token, password: Some(password) }));
            }
            Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "username_taken" => {
                terminal.say(&format!("{name} is taken: choose another name, or log in if it is yours."))?;
                return Ok(None);
            }
            Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
                terminal.say(&format!("Not accepted: {failure}."))?;
            }
            Err(stop) => return Err(stop),
        }
    }
}

async fn log_in_as(
    terminal: &mut Terminal,
    memory: &mut Memory,
    server: &Server,
    name: String,
) -> Result<Entry, Stop> {
    loop {
        let password = terminal.password(&format!("Password of {name}:")).await?;
        let device = memory.device_token(server.url(), &name);
        let log_in = async || server.log_in_on(&name, &password, device.as_deref()).await;
        match answered(terminal, log_in).await {
            Ok(session) => {
                remember(memory, server, &session);
                let token = session.access_token.to_string();
                return Ok(Entry { name, token, password: Some(password) });
            }
            Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "invalid_credentials" => {
                terminal.say("No such name, or another password.")?;
            }
            Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
                terminal.say(&format!("Not accepted: {failure}."))?;
            }
            Err(stop) => return Err(stop),
        }
    }
}

/// Repeats until there is an answer, and says that it does.
async fn answered(
    terminal: &mut Terminal,
    request: impl AsyncFn() -> Result<Session, Failure>,
) -> Result<Session, Stop> {
    loop {
        match request().await {
            Err(Failure::Unanswered(why)) => terminal.say(&format!("No answer ({why}). I keep trying."))?,
            answer => return Ok(answer?),
        }
    }
}

fn with_scheme(address: &str) -> String {
    let address = address.trim_end_matches('/');
    if address.contains("://") { address.to_owned() } else { format!("http://{address}") }
}
