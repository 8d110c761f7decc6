//! After a match: rematch, scores and log.

use yaniv_client::types::Challenge;
use yaniv_client::{Failure, Key};

use uuid::Uuid;

use crate::Stop;
use crate::account::player::Event;
use crate::game::commands::{self, Command};
use crate::game::playing::Game;
use crate::lobby::{challenge, create};
use crate::texts::help;

impl Game<'_> {
    /// Shows the finished match until the player leaves; returns the rematch, if there is one.
    pub(crate) async fn after(&mut self) -> Result<Option<Uuid>, Stop> {
        let id = self.view.match_id;
        let mut rematch = self.guest.ask(async |player| player.rematch(id).await).await?;
        loop {
            self.guest.terminal.prompt(&prompt(rematch.as_ref()))?;
            let line = match self.guest.listen(async |player| player.rematch(id).await).await? {
                Event::News(new) => {
                    rematch = new;
                    continue;
                }
                Event::Line(line) => line,
            };
            match line.to_lowercase().as_str() {
                "" => return Ok(None),
                "help" | "h" | "?" => self.guest.terminal.say(help::AFTER)?,
                "rematch" | "r" => {
                    if let Some(next) = self.play_again(rematch.as_ref()).await? {
                        return Ok(Some(next));
                    }
                }
                "decline" => match rematch.as_ref().filter(|offer| offer.waits_for_you) {
                    Some(offer) => challenge::decline(self.guest, offer.challenge_id).await?,
                    None => self.guest.terminal.say("Nobody offers you a rematch.")?,
                },
                _ => match commands::parse(&line, &self.view) {
                    Ok(Command::Back) => return Ok(None),
                    Ok(Command::Quit) => return Err(Stop::Quit),
                    Ok(
                        command @ (Command::Rules | Command::Scores | Command::Log(_) | Command::Record(_)),
                    ) => {
                        self.obey(command).await?;
                    }
                    _ => self.guest.terminal.say("This match is over. help tells what can be typed.")?,
                },
            }
            rematch = self.guest.ask(async |player| player.rematch(id).await).await?;
        }
    }

    /// Offers or accepts a rematch, and waits for the others.
    async fn play_again(&mut self, rematch: Option<&Challenge>) -> Result<Option<Uuid>, Stop> {
        if let Some(next) = rematch.and_then(|rematch| rematch.match_id) {
            return Ok(Some(next));
        }
        let (key, id, seed) = (Key::fresh(), self.view.match_id, create::client_seed());
        match self.guest.ask(async |player| player.offer_rematch(&key, id, &seed).await).await {
            Err(Stop::Failed(failure @ Failure::Refused(_))) => {
                self.guest.terminal.say(&format!("Not possible: {failure}."))?;
                Ok(None)
            }
            offer => challenge::wait(self.guest, offer?).await,
        }
    }
}

fn prompt(rematch: Option<&Challenge>) -> String {
    let open = rematch.filter(|offer| offer.status.as_str() == "open");
    if rematch.is_some_and(|rematch| rematch.match_id.is_some()) {
        "A rematch has begun: rematch goes there. Enter: back.".to_owned()
    } else if let Some(offer) = open.filter(|offer| offer.waits_for_you) {
        let who = offer.members.first().map_or("Somebody", |member| &**member.username);
        format!("{who} offers a rematch: rematch accepts, decline declines. Enter: back.")
    } else if open.is_some() {
        "Your rematch waits for the others: rematch waits for them here. Enter: back.".to_owned()
    } else {
        "Again? rematch offers it. Enter: back.".to_owned()
    }
}
