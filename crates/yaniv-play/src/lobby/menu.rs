//! The lobby: a list of matches, challenges and pairing requests, from which the player opens one, creates a match, or
//! follows a code.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_client::types::{ChallengeSummary, MatchList, MatchSummary, PairingSummary};
use yaniv_client::{Failure, Key};

use crate::Stop;
use crate::account::link::{self, Link};
use crate::account::player::Guest;
use crate::account::{language, newcomer};
use crate::game::playing;
use crate::lobby::{challenge, create, pairing, waiting_room};
use crate::screen::paint::Paint;
use crate::texts::story::{named, rules_name};
use crate::texts::{clock, help, rules};

/// Matches, challenges and requests, numbered as shown.
struct Listed {
    matches: MatchList,
    challenges: Vec<ChallengeSummary>,
    pairings: Vec<PairingSummary>,
}

/// The item that a number of the list refers to.
enum Chosen {
    Match(Uuid),
    Challenge(Uuid),
    Pairing(Uuid),
}

/// Shows the list and runs commands, until the player quits.
pub(crate) async fn stay(guest: &mut Guest) -> Result<(), Stop> {
    let mut old = false;
    loop {
        let listed = look(guest, old).await?;
        show(guest, &listed, old)?;
        old = false;
        let line = guest.terminal.ask("Your choice:").await?;
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((&line, ""));
        let done = match word.to_lowercase().as_str() {
            "" => Ok(()),
            "q" | "quit" | "exit" | "bye" => {
                guest.terminal.say("Good bye. Your matches go on, and wait for you.")?;
                return Ok(());
            }
            "help" | "h" | "?" => Ok(guest.terminal.say(help::LOBBY)?),
            "old" => {
                old = true;
                Ok(())
            }
            "new" | "n" => create::create(guest).await,
            "claim" => newcomer::claim(guest, rest).await,
            "language" => language::choose(guest, rest).await,
            "pair" => {
                let (size, rules) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
                match size.parse() {
                    Ok(size) => pair(guest, size, rules).await,
                    Err(_) => pair(guest, 2, rest).await,
                }
            }
            "challenge" => {
                let (names, rules) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
                challenge(guest, names, rules).await
            }
            _ => match chosen(&line, &listed) {
                Some(choice) => go(guest, choice).await,
                None => follow(guest, &line).await,
            },
        };
        settle(guest, done)?;
    }
}

/// Plays with any players who ask for the same.
pub(crate) async fn pair(guest: &mut Guest, size: i32, rules: &str) -> Result<(), Stop> {
    let begun = pairing::ask(guest, size, rules).await?;
    enter_if(guest, begun).await
}

/// Plays with these players.
pub(crate) async fn challenge(guest: &mut Guest, names: &str, rules: &str) -> Result<(), Stop> {
    let begun = challenge::make(guest, names, rules).await?;
    enter_if(guest, begun).await
}

async fn go(guest: &mut Guest, choice: Chosen) -> Result<(), Stop> {
    let begun = match choice {
        Chosen::Match(id) => Some(id),
        Chosen::Challenge(id) => challenge::open(guest, id).await?,
        Chosen::Pairing(id) => pairing::open(guest, id).await?,
    };
    enter_if(guest, begun).await
}

async fn enter_if(guest: &mut Guest, begun: Option<Uuid>) -> Result<(), Stop> {
    match begun {
        Some(id) => enter(guest, id).await,
        None => Ok(()),
    }
}

async fn look(guest: &mut Guest, old: bool) -> Result<Listed, Stop> {
    let (status, ended) = if old { (Some("finished"), "declined") } else { (None, "open") };
    let matches = guest.ask(async |player| player.matches(status).await).await?;
    let challenges = guest.ask(async |player| player.challenges(Some(ended)).await).await?.items;
    let pairings =
        if old { Vec::new() } else { guest.ask(async |player| player.pairings().await).await?.items };
    Ok(Listed { matches, challenges, pairings })
}

/// Prints a refusal of the service, which does not end the program.
pub(crate) fn settle(guest: &mut Guest, done: Result<(), Stop>) -> Result<(), Stop> {
    match done {
        Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
            Ok(guest.terminal.say(&format!("Not possible: {failure}."))?)
        }
        Err(Stop::Unclear(why)) => Ok(guest.terminal.say(&why)?),
        done => done,
    }
}

/// Follows a code or link: into one of the player's matches, or to a free seat.
pub(crate) async fn follow(guest: &mut Guest, shared: &str) -> Result<(), Stop> {
    let Link { server, code } = link::read(shared);
    if server.is_some_and(|server| server != guest.server().url()) {
        let text = format!(
            "That link is of another service. To go there:  yaniv play --join {shared}\nIf it is the same one, type \
             the code alone:  {code}"
        );
        return Ok(guest.terminal.say(&text)?);
    }
    if code.len() != 8 {
        let text =
            "That is no number of the list and no code (eight letters and digits). help tells what is.";
        return Ok(guest.terminal.say(text)?);
    }
    let preview = match guest.ask(async |player| player.match_by_code(&code).await).await {
        Err(Stop::Failed(Failure::Refused(_) | Failure::Mismatch(_))) => {
            let text = format!("No match waits for players under {code}, and none of yours has that code.");
            return Ok(guest.terminal.say(&text)?);
        }
        answer => answer?,
    };
    if let Some(id) = preview.match_id {
        return enter(guest, id).await;
    }
    let names: Vec<String> =
        preview.players.iter().map(|player| named(&player.username, player.bot)).collect();
    guest.terminal.say(&format!(
        "\n{} invites to a match of {}, {} of {} seats taken ({}).{}",
        names.first().map_or("Somebody", String::as_str),
        rules_name(preview.settings.preset.as_deref().map(String::as_str)),
        names.len(),
        preview.settings.size,
        names.join(", "),
        rules::rules_text(&preview.settings.rules)
    ))?;
    if !guest.auto && !guest.terminal.confirm("Join?").await? {
        return Ok(());
    }
    let (key, seed) = (Key::fresh(), create::client_seed());
    match guest.ask(async |player| player.join(&key, &code, &seed).await).await {
        Err(Stop::Failed(Failure::Refused(problem))) => {
            Ok(guest.terminal.say(&format!("Not joined: {}.", *problem.title))?)
        }
        answer => enter(guest, answer?.match_id).await,
    }
}

/// Opens a match: its waiting room, then the table; and its rematch.
pub(crate) async fn enter(guest: &mut Guest, id: Uuid) -> Result<(), Stop> {
    let mut next = Some(id);
    while let Some(id) = next {
        let since = guest.seen(id);
        let view = guest.ask(async |player| player.view(id, since).await).await?;
        let begun = if view.status.as_str() == "waiting" {
            waiting_room::wait(guest, view).await?
        } else {
            Some(view)
        };
        next = match begun {
            Some(view) => playing::play(guest, view).await?,
            None => None,
        };
    }
    Ok(())
}

fn chosen(text: &str, listed: &Listed) -> Option<Chosen> {
    let matches = listed.matches.items.iter().map(|summary| Chosen::Match(summary.match_id));
    let challenges = listed.challenges.iter().map(|summary| Chosen::Challenge(summary.challenge_id));
    let pairings = listed.pairings.iter().map(|summary| Chosen::Pairing(summary.pairing_id));
    let number: usize = text.parse().ok()?;
    matches.chain(challenges).chain(pairings).nth(number.checked_sub(1)?)
}

fn show(guest: &mut Guest, listed: &Listed, old: bool) -> Result<(), Stop> {
    let (paint, list) = (guest.terminal.paint, &listed.matches);
    let (mut lines, mut number) = (Vec::new(), 0);
    let mut numbered = |text: String| {
        number += 1;
        format!("{number:>3}  {text}")
    };
    if !list.items.is_empty() {
        lines.push(format!("\n{}", paint.bold("Your matches")));
    } else if old {
        lines.push("None of your matches is over.".to_owned());
    } else {
        lines.push(
            "\nYou have no matches yet. Type  new  to create one, the code that a friend has given you, or  pair  to \
             play with anyone."
                .to_owned(),
        );
    }
    lines.extend(list.items.iter().map(|summary| numbered(line(summary, list.server_time, paint))));
    if list.next_cursor.is_some() {
        lines.push("     and more, which are not listed here".to_owned());
    }
    if !listed.challenges.is_empty() {
        lines.push(paint.bold("Challenges"));
    }
    for summary in &listed.challenges {
        let text = challenge::line(summary);
        lines.push(numbered(if summary.waits_for_you { paint.bold(&text) } else { text }));
    }
    if !listed.pairings.is_empty() {
        lines.push(paint.bold("Matches to come"));
    }
    lines.extend(listed.pairings.iter().map(|summary| numbered(pairing::line(summary))));
    if !old && guest.unnamed {
        lines.push(paint.dim(&format!("You play as {}; claim NAME keeps this account for you", guest.name)));
    }
    if !list.items.is_empty() {
        lines.push(
            paint.dim("A number opens it, new creates a match, pair finds one, a code joins one; help, quit"),
        );
    }
    Ok(guest.terminal.say(&lines.join("\n"))?)
}

fn line(summary: &MatchSummary, now: DateTime<Utc>, paint: Paint) -> String {
    let name = rules_name(summary.preset.as_deref().map(String::as_str));
    let seats: Vec<String> = summary
        .seats
        .iter()
        .map(|seat| match seat.total {
            Some(total) => format!("{} {total}", named(&seat.username, seat.bot)),
            None => named(&seat.username, seat.bot),
        })
        .collect();
    let seats = seats.join(", ");
    match (summary.status.as_str(), summary.round) {
        ("waiting", _) => format!(
            "{name}, open under {}: {} of {} seats taken ({seats})",
            *summary.join_code,
            summary.seats.len(),
            summary.size
        ),
        ("running", Some(round)) => {
            let pressure = clock::pressure_in_short(summary, now);
            let pressure = if summary.your_turn { paint.bold(&pressure) } else { pressure };
            format!("{name}, round {round}: {seats}. {pressure}")
        }
        _ => format!("{name}, over since {}: {seats}", clock::duration(summary.updated_at, now)),
    }
}
