//! The language of the player's notifications. The texts of this program are in English.

use yaniv_client::types::Language;

use crate::Stop;
use crate::account::player::Guest;

/// Sets the language of the notifications.
pub(crate) async fn choose(guest: &mut Guest, tag: &str) -> Result<(), Stop> {
    let Ok(language) = tag.trim().to_lowercase().parse::<Language>() else {
        let text = "A language is one of en, he, ne, nl and de, as in: language de";
        return Ok(guest.terminal.say(text)?);
    };
    let account = guest.ask(async |player| player.set_language(language).await).await?;
    let text = format!("Your notifications are in this language now: {}.", &*account.language);
    Ok(guest.terminal.say(&text)?)
}
