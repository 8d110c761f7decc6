//! Quick pairing: a request that waits until enough players have asked for the same.

use uuid::Uuid;
use yaniv_client::types::{Pairing, PairingSummary, RequestPairingRequest};
use yaniv_client::{Failure, Key};

use crate::Stop;
use crate::account::player::{Event, Guest};
use crate::lobby::create;
use crate::texts::story::rules_name;

/// Sends a pairing request, and waits for it; returns the match once it has started.
pub(crate) async fn ask(guest: &mut Guest, size: i32, rules: &str) -> Result<Option<Uuid>, Stop> {
    let rules = create::wanted(guest, rules).await?;
    let client_seed = create::client_seed().parse().ok();
    let wish =
        RequestPairingRequest { client_seed, commitment: None, time_control: None, rated: None, rules, size };
    let key = Key::fresh();
    let pairing = guest.ask(async |player| player.request_pairing(&key, &wish).await).await?;
    wait(guest, pairing).await
}

/// Continues to wait for an earlier request.
pub(crate) async fn open(guest: &mut Guest, id: Uuid) -> Result<Option<Uuid>, Stop> {
    let pairing = guest.ask(async |player| player.pairing(id).await).await?;
    wait(guest, pairing).await
}

/// A row of the list.
pub(crate) fn line(pairing: &PairingSummary) -> String {
    let name = rules_name(pairing.preset.as_deref().map(String::as_str));
    format!("{name}, {} players: waits for others who want to play", pairing.size)
}

async fn wait(guest: &mut Guest, pairing: Pairing) -> Result<Option<Uuid>, Stop> {
    let (id, mut pairing, mut told) = (pairing.pairing_id, pairing, false);
    loop {
        if pairing.match_id.is_some() {
            guest.terminal.say("Enough want to play: the match has begun.")?;
            return Ok(pairing.match_id);
        }
        if pairing.status.as_str() != "waiting" {
            guest.terminal.say(&format!("You no longer wait for this match: {}.", *pairing.status))?;
            return Ok(None);
        }
        if !std::mem::replace(&mut told, true) {
            let name = rules_name(pairing.preset.as_deref().map(String::as_str));
            guest.terminal.say(&format!(
                "\nYou wait for a match of {name} with {} players. It begins when enough want to play, also without you \
                 here.",
                pairing.size
            ))?;
        }
        guest.terminal.prompt("Waiting for others. leave: wait no longer. Enter: back.")?;
        let line = match guest.listen(async |player| player.pairing(id).await).await? {
            Event::News(new) => {
                pairing = new;
                continue;
            }
            Event::Line(line) => line,
        };
        match line.to_lowercase().as_str() {
            "" | "b" | "back" | "q" => return Ok(None),
            "quit" | "exit" | "bye" => return Err(Stop::Quit),
            "leave" => match guest.ask(async |player| player.withdraw_pairing(id).await).await {
                // The request was paired in the meantime.
                Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "already_paired" => {
                    pairing = guest.ask(async |player| player.pairing(id).await).await?;
                }
                withdrawn => pairing = withdrawn?,
            },
            _ => {
                guest.terminal.say("Type leave to wait no longer, or Enter to go back while it waits on.")?
            }
        }
    }
}
