//! New players: registration, guest accounts, and claiming a guest account.

use yaniv_client::types::Session;
use yaniv_client::{Failure, Server};

use crate::Stop;
use crate::account::player::Guest;
use crate::screen::terminal::Terminal;

/// Asks for a name until it is valid; `None` for a guest.
pub(crate) async fn ask_name(terminal: &mut Terminal) -> Result<Option<String>, Stop> {
    loop {
        let name = terminal.ask("Your name:").await?.to_lowercase();
        if name.is_empty() {
            return Ok(None);
        }
        if is_name(&name) {
            return Ok(Some(name));
        }
        terminal.say("A name has 3 to 20 letters a to z, digits or underscores.")?;
    }
}

fn is_name(name: &str) -> bool {
    let letters = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    (3..=20).contains(&name.len()) && name.chars().all(letters)
}

/// Registers; `None` if the name is taken.
pub(crate) async fn register(
    terminal: &mut Terminal,
    server: &Server,
    name: &str,
) -> Result<Option<Session>, Stop> {
    let mut invitation = None;
    loop {
        let password = choose_password(terminal).await?;
        let register = async |invitation: Option<&str>| server.register_by(name, &password, invitation).await;
        match invited(terminal, &mut invitation, register).await {
            Ok(session) => return Ok(Some(session)),
            Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "username_taken" => {
                terminal.say(&format!("{name} is taken: choose another name, or log in if it is yours."))?;
                return Ok(None);
            }
            Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "username_reserved" => {
                terminal.say(&format!("Nobody can be called {name}: choose another name."))?;
                return Ok(None);
            }
            Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
                terminal.say(&format!("Not accepted: {failure}."))?;
            }
            Err(stop) => return Err(stop),
        }
    }
}

/// Creates a guest account.
pub(crate) async fn play_as_guest(terminal: &mut Terminal, server: &Server) -> Result<Session, Stop> {
    invited(terminal, &mut None, async |invitation: Option<&str>| server.create_guest(invitation).await).await
}

/// Claims a guest account with a name and a password.
pub(crate) async fn claim(guest: &mut Guest, name: &str) -> Result<(), Stop> {
    let name = name.trim().to_lowercase();
    if !guest.unnamed {
        let text = format!("You are no guest: {} is yours already.", guest.name);
        return Ok(guest.terminal.say(&text)?);
    }
    if !is_name(&name) {
        let text = "A name has 3 to 20 letters a to z, digits or underscores, as in: claim ada";
        return Ok(guest.terminal.say(text)?);
    }
    let password = choose_password(&mut guest.terminal).await?;
    let account = guest.ask(async |player| player.claim(&name, &password).await).await?;
    guest.is_named(&account.username)?;
    let text = format!("You are {} now, with all your matches. Log in by it anywhere.", guest.name);
    Ok(guest.terminal.say(&text)?)
}

async fn choose_password(terminal: &mut Terminal) -> Result<String, Stop> {
    loop {
        let password = terminal.password("Choose a password (8 characters or more):").await?;
        if !(8..=128).contains(&password.chars().count()) {
            terminal.say("It needs 8 to 128 characters.")?;
        } else if terminal.password("The same again:").await? == password {
            return Ok(password);
        } else {
            terminal.say("That was not the same.")?;
        }
    }
}

/// Asks for an invitation as long as the service requires one.
async fn invited(
    terminal: &mut Terminal,
    invitation: &mut Option<String>,
    request: impl AsyncFn(Option<&str>) -> Result<Session, Failure>,
) -> Result<Session, Stop> {
    loop {
        match answered(terminal, async || request(invitation.as_deref()).await).await {
            Err(Stop::Failed(Failure::Refused(problem))) if problem.code.starts_with("invitation_") => {
                terminal.say(&format!("{}.", &*problem.title))?;
                *invitation = Some(terminal.ask("The code of your invitation:").await?);
            }
            session => return session,
        }
    }
}

/// Retries until there is an answer, and informs the player.
pub(crate) async fn answered(
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
