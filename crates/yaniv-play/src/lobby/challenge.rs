//! Challenges to certain players, and rematches, which are challenges, too.

use uuid::Uuid;
use yaniv_client::Key;
use yaniv_client::types::{
    Challenge, ChallengeMember, ChallengeSummary, CreateChallengeRequest, DeclineReason,
};

use crate::Stop;
use crate::account::player::{Event, Guest};
use crate::lobby::create;
use crate::texts::rules;
use crate::texts::story::{named, rules_name};

/// Reasons to decline, in the order of the list.
const REASONS: [(DeclineReason, &str); 8] = [
    (DeclineReason::NoReason, "no reason"),
    (DeclineReason::NotNow, "not now"),
    (DeclineReason::TooManyMatches, "too many matches"),
    (DeclineReason::OtherRules, "I would play by other rules"),
    (DeclineReason::OtherTimeControl, "I would play with another time control"),
    (DeclineReason::OtherPlayers, "I would play with others"),
    (DeclineReason::NoBots, "I do not play with bots"),
    (DeclineReason::OnlyBots, "I play with bots only"),
];

/// Challenges players (names separated by commas) and waits for them; returns the match once it has started.
pub(crate) async fn make(guest: &mut Guest, names: &str, rules: &str) -> Result<Option<Uuid>, Stop> {
    let names = names.split(',').map(|name| name.trim().to_lowercase());
    let opponents: Vec<String> = names.filter(|name| !name.is_empty()).collect();
    if opponents.is_empty() {
        return Err(Stop::Unclear("Whom? For example: challenge bob".to_owned()));
    }
    let rules = create::wanted(guest, rules).await?;
    let client_seed = create::client_seed().parse().ok();
    let wish = CreateChallengeRequest {
        client_seed,
        expires_in_hours: None,
        opponents,
        time_control: None,
        rated: None,
        rules,
        seat_order: None,
    };
    let key = Key::fresh();
    let challenge = guest.ask(async |player| player.create_challenge(&key, &wish).await).await?;
    wait(guest, challenge).await
}

/// Opens a challenge of the list: to answer it, or to wait for the others.
pub(crate) async fn open(guest: &mut Guest, id: Uuid) -> Result<Option<Uuid>, Stop> {
    let challenge = guest.ask(async |player| player.challenge(id).await).await?;
    if !challenge.waits_for_you {
        return wait(guest, challenge).await;
    }
    let name = rules_name(challenge.preset.as_deref().map(String::as_str));
    let title = title(&challenge.members, challenge.rematch_of.is_some(), false);
    let text = format!("\n{title}: {name}.{}", rules::rules_text(&challenge.rules));
    guest.terminal.say(&text)?;
    loop {
        match guest.terminal.ask("Accept? [y/n] Enter: later.").await?.to_lowercase().as_str() {
            "" | "b" | "back" | "q" => return Ok(None),
            "y" | "yes" | "accept" => {
                let seed = create::client_seed();
                let accepted = guest.ask(async |player| player.accept_challenge(id, &seed).await).await?;
                return wait(guest, accepted).await;
            }
            "n" | "no" | "decline" => {
                decline(guest, id).await?;
                return Ok(None);
            }
            _ => guest.terminal.say("Please answer y or n.")?,
        }
    }
}

/// Declines, with a reason.
pub(crate) async fn decline(guest: &mut Guest, id: Uuid) -> Result<(), Stop> {
    let lines = REASONS.iter().enumerate().map(|(at, (_, text))| format!("{:>3}  {text}", at + 1));
    let lines: Vec<String> = std::iter::once("\nWhy?".to_owned()).chain(lines).collect();
    guest.terminal.say(&lines.join("\n"))?;
    let reason = loop {
        let line = guest.terminal.ask("Your reason [1]:").await?;
        let number = if line.is_empty() { Ok(1) } else { line.parse::<usize>() };
        let listed = number.ok().and_then(|number| REASONS.get(number.checked_sub(1)?));
        match listed {
            Some((reason, _)) => break *reason,
            None => guest.terminal.say("Please type a number of the list.")?,
        }
    };
    guest.ask(async |player| player.decline_challenge(id, reason).await).await?;
    Ok(guest.terminal.say("You have declined.")?)
}

/// Waits until all have answered; returns the match once it has started.
pub(crate) async fn wait(guest: &mut Guest, challenge: Challenge) -> Result<Option<Uuid>, Stop> {
    let (id, mut challenge, mut told) = (challenge.challenge_id, challenge, String::new());
    loop {
        if challenge.match_id.is_some() {
            guest.terminal.say("Everybody has accepted: the match has begun.")?;
            return Ok(challenge.match_id);
        }
        let news = standing(&challenge.status, &challenge.members);
        if news != told {
            guest.terminal.say(&news)?;
            told = news;
        }
        if challenge.status.as_str() != "open" {
            return Ok(None);
        }
        guest.terminal.prompt("The match begins when all have accepted. leave: without you. Enter: back.")?;
        let line = match guest.listen(async |player| player.challenge(id).await).await? {
            Event::News(new) => {
                challenge = new;
                continue;
            }
            Event::Line(line) => line,
        };
        match line.to_lowercase().as_str() {
            "" | "b" | "back" | "q" => return Ok(None),
            "quit" | "exit" | "bye" => return Err(Stop::Quit),
            "leave" if challenge.direction.as_str() == "outgoing" => {
                challenge = guest.ask(async |player| player.withdraw_challenge(id).await).await?;
            }
            "leave" => {
                decline(guest, id).await?;
                return Ok(None);
            }
            _ => guest.terminal.say("Type leave to take it back, or Enter to go back while it waits on.")?,
        }
    }
}

/// A row of the list.
pub(crate) fn line(challenge: &ChallengeSummary) -> String {
    let name = rules_name(challenge.preset.as_deref().map(String::as_str));
    let own = challenge.direction.as_str() == "outgoing";
    let title = title(&challenge.members, challenge.rematch_of.is_some(), own);
    if challenge.waits_for_you {
        return format!("{title}: {name}");
    }
    format!("{title}: {name}. {}", standing(&challenge.status, &challenge.members))
}

fn title(members: &[ChallengeMember], rematch: bool, own: bool) -> String {
    let names: Vec<String> = members.iter().map(|member| named(&member.username, member.bot)).collect();
    let (first, others) =
        names.split_first().map_or(("Somebody", &[][..]), |(first, rest)| (first.as_str(), rest));
    let others = others.join(", ");
    match (own, rematch) {
        (true, true) => format!("You offer a rematch to {others}"),
        (true, false) => format!("You challenge {others}"),
        (false, true) => format!("{first} offers a rematch to {others}"),
        (false, false) => format!("{first} challenges {others}"),
    }
}

/// Its status in words.
fn standing(status: &str, members: &[ChallengeMember]) -> String {
    let said = |wanted: &str| -> Vec<&str> {
        let members = members.iter().filter(|member| member.answer.as_str() == wanted);
        members.map(|member| member.username.as_str()).collect()
    };
    match status {
        "open" => format!("No answer yet from {}.", said("none").join(", ")),
        "accepted" => "Everybody has accepted.".to_owned(),
        "declined" => members.iter().find(|member| member.answer.as_str() == "declined").map_or_else(
            || "Declined.".to_owned(),
            |member| {
                let word = member.decline_reason.as_ref().map_or("no_reason", |reason| reason.as_str());
                let known = REASONS.iter().find(|(reason, _)| reason.to_string() == word);
                let reason = known.map_or_else(|| word.replace('_', " "), |(_, text)| (*text).to_owned());
                format!("{} has declined: {reason}.", *member.username)
            },
        ),
        "withdrawn" => "It was taken back.".to_owned(),
        "expired" => "Nobody can accept it any more.".to_owned(),
        other => format!("It is {other}."),
    }
}
