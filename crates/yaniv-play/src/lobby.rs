//! The list of matches, and the ways from it: into one of them, to a new one, to a friend's.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_client::types::{MatchList, MatchSummary};
use yaniv_client::{Failure, Key};

use crate::guest::Guest;
use crate::paint::Paint;
use crate::story::rules_name;
use crate::{Stop, clock, create, game, help, room, rules_text};

/// Shows the matches and does what is typed, until the player leaves.
pub(crate) async fn stay(guest: &mut Guest) -> Result<(), Stop> {
    let mut status = None;
    loop {
        let list = guest.ask(async |player| player.matches(status).await).await?;
        show(guest, &list, status.is_some())?;
        status = None;
        let line = guest.terminal.ask("Your choice:").await?;
        match line.to_lowercase().as_str() {
            "" => {}
            "q" | "quit" | "exit" | "bye" => {
                guest.terminal.say("Good bye. Your matches go on, and wait for you.")?;
                return Ok(());
            }
            "help" | "h" | "?" => guest.terminal.say(help::LOBBY)?,
            "old" => status = Some("finished"),
            "new" | "n" => {
                let created = create::create(guest).await;
                settle(guest, created)?;
            }
            other => {
                let done = match chosen(other, &list) {
                    Some(id) => enter(guest, id).await,
                    None => follow(guest, other).await,
                };
                settle(guest, done)?;
            }
        }
    }
}

/// What the service refuses is said; it is no reason to leave.
pub(crate) fn settle(guest: &mut Guest, done: Result<(), Stop>) -> Result<(), Stop> {
    match done {
        Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
            Ok(guest.terminal.say(&format!("Not possible: {failure}."))?)
        }
        done => done,
    }
}

/// Goes where a code leads: into a match of one's own, or to a free seat.
pub(crate) async fn follow(guest: &mut Guest, code: &str) -> Result<(), Stop> {
    let code = code.trim().to_uppercase();
    if code.len() != 8 {
        let text =
            "That is no number of the list and no code (eight letters and digits). help tells what is.";
        return Ok(guest.terminal.say(text)?);
    }
    let invitation = match guest.ask(async |player| player.invitation(&code).await).await {
        Err(Stop::Failed(Failure::Refused(_) | Failure::Mismatch(_))) => {
            let text = format!("No match waits for players under {code}, and none of yours has that code.");
            return Ok(guest.terminal.say(&text)?);
        }
        answer => answer?,
    };
    if invitation.your_seat.is_some() {
        return enter(guest, invitation.id).await;
    }
    let names: Vec<&str> = invitation.seats.iter().map(|seat| seat.username.as_str()).collect();
    guest.terminal.say(&format!(
        "\n{} invites to a match of {}, {} of {} seats taken ({}).{}",
        names.first().unwrap_or(&"Somebody"),
        rules_name(invitation.preset.as_deref().map(String::as_str)),
        names.len(),
        invitation.size,
        names.join(", "),
        rules_text::rules_text(&invitation.rules)
    ))?;
    if !guest.auto && !guest.terminal.confirm("Join?").await? {
        return Ok(());
    }
    let (key, seed) = (Key::fresh(), create::client_seed());
    match guest.ask(async |player| player.join(&key, &code, &seed).await).await {
        Err(Stop::Failed(Failure::Refused(problem))) => {
            Ok(guest.terminal.say(&format!("Not joined: {}.", *problem.title))?)
        }
        answer => enter(guest, answer?.id).await,
    }
}

/// Sits down at a match: in its waiting room, then at the table.
pub(crate) async fn enter(guest: &mut Guest, id: Uuid) -> Result<(), Stop> {
    let since = guest.seen(id);
    let view = guest.ask(async |player| player.view(id, since).await).await?;
    let view = if view.status.as_str() == "waiting" {
        match room::wait(guest, view).await? {
            Some(view) => view,
            None => return Ok(()),
        }
    } else {
        view
    };
    game::play(guest, view).await
}

fn chosen(text: &str, list: &MatchList) -> Option<Uuid> {
    let number: usize = text.parse().ok()?;
    list.items.get(number.checked_sub(1)?).map(|summary| summary.id)
}

fn show(guest: &mut Guest, list: &MatchList, old: bool) -> Result<(), Stop> {
    let paint = guest.terminal.paint;
    if list.items.is_empty() {
        let text = if old {
            "None of your matches is over."
        } else {
            "\nYou have no matches yet. Type  new  to create one, or the code that a friend has given you."
        };
        return Ok(guest.terminal.say(text)?);
    }
    let mut lines = vec![format!("\n{}", paint.bold("Your matches"))];
    for (number, summary) in list.items.iter().enumerate() {
        lines.push(format!("{:>3}  {}", number + 1, line(summary, list.server_time, paint)));
    }
    if list.next_cursor.is_some() {
        lines.push("     and more, which are not listed here".to_owned());
    }
    lines.push(paint.dim("A number opens a match, new creates one, a code joins one; help, quit"));
    Ok(guest.terminal.say(&lines.join("\n"))?)
}

fn line(summary: &MatchSummary, now: DateTime<Utc>, paint: Paint) -> String {
    let name = rules_name(summary.preset.as_deref().map(String::as_str));
    let seats: Vec<String> = summary
        .seats
        .iter()
        .map(|seat| match seat.total {
            Some(total) => format!("{} {total}", *seat.username),
            None => seat.username.to_string(),
        })
        .collect();
    let seats = seats.join(", ");
    match (summary.status.as_str(), summary.round) {
        ("waiting", _) => format!(
            "{name}, open under {}: {} of {} seats taken ({seats})",
            *summary.code,
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
