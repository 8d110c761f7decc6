//! Waiting room of a match: its code to share, who has joined, and the start.

use std::fmt::Write;

use yaniv_client::{Failure, Key, View};

use crate::account::player::{Event, Guest};
use crate::texts::story::named;
use crate::texts::{help, rules};
use crate::{DEFAULT_SERVER, Stop};

/// Waits until the match starts; `None` if the player leaves before.
pub(crate) async fn wait(guest: &mut Guest, view: View) -> Result<Option<View>, Stop> {
    let mut view = view;
    let mut tag = None;
    let text =
        if is_full(&view) { format!("\nAt the table: {}.", seats(&view)) } else { invitation(guest, &view) };
    guest.terminal.say(&text)?;
    loop {
        if view.status.as_str() != "waiting" {
            return Ok(Some(view));
        }
        if guest.auto
            && is_full(&view)
            && let Some(started) = start(guest, &view).await?
        {
            return Ok(Some(started));
        }
        guest.terminal.prompt(prompt(&view))?;
        match guest.wait(&view, &mut tag).await? {
            Event::Line(line) => match line.to_lowercase().as_str() {
                "" | "b" | "back" | "q" => return Ok(None),
                "quit" | "exit" | "bye" => return Err(Stop::Quit),
                "help" | "h" | "?" => guest.terminal.say(help::ROOM)?,
                "rules" => guest.terminal.say(&rules::rules_text(&view.settings.rules))?,
                "start" | "s" => {
                    if let Some(started) = start(guest, &view).await? {
                        return Ok(Some(started));
                    }
                }
                "leave" => {
                    let (key, id) = (Key::fresh(), view.match_id);
                    guest.ask(async |player| player.leave(&key, id).await).await?;
                    guest.terminal.say("You have left.")?;
                    return Ok(None);
                }
                _ => guest.terminal.say("Type start, rules, leave, or Enter to go back; help tells more.")?,
            },
            Event::News(new) => {
                if new.status.as_str() == "waiting" {
                    guest.terminal.say(&format!("At the table: {}.", seats(&new)))?;
                }
                view = *new;
            }
        }
    }
}

async fn start(guest: &mut Guest, view: &View) -> Result<Option<View>, Stop> {
    let (key, id) = (Key::fresh(), view.match_id);
    match guest.ask(async |player| player.start(&key, id).await).await {
        // Another player started it in the meantime.
        Err(Stop::Failed(Failure::Refused(problem))) if &*problem.code == "match_started" => {
            guest.ask(async |player| player.view(id, None).await).await.map(Some)
        }
        Err(Stop::Failed(Failure::Refused(problem))) => {
            guest.terminal.say(&format!("Not yet: {}. {}", *problem.title, *problem.advice))?;
            Ok(None)
        }
        answer => answer.map(Some),
    }
}

fn invitation(guest: &Guest, view: &View) -> String {
    let code = view.join_code.as_deref().map_or("", String::as_str);
    let mut text =
        format!("\nThis match waits for players. Its code, to share:  {}\n", guest.terminal.paint.bold(code));
    let url = guest.server().url();
    let server = if url == DEFAULT_SERVER { String::new() } else { format!(" --server {url}") };
    let _ = match &view.join_link {
        Some(link) => writeln!(text, "Others open   {}", **link),
        None => writeln!(text, "Others join with   yaniv play{server} {code}"),
    };
    let _ = write!(text, "At the table: {}.", seats(view));
    text
}

fn seats(view: &View) -> String {
    let names: Vec<String> = view.seats.iter().map(|seat| named(&seat.username, seat.bot)).collect();
    format!("{}; {} of {} seats taken", names.join(", "), names.len(), view.settings.size)
}

fn is_full(view: &View) -> bool {
    i32::try_from(view.seats.len()).is_ok_and(|taken| taken >= view.settings.size)
}

fn prompt(view: &View) -> &'static str {
    let (taken, host) = (view.seats.len(), view.your_seat.is_some() && view.your_seat == view.host_seat);
    if is_full(view) {
        "All are here: start deals. Enter: back."
    } else if host && taken >= 2 {
        "start: deal now. Enter: back."
    } else {
        "Waiting for others to join. Enter: back."
    }
}
