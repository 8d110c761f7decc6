//! Events in plain English: a sentence for each log entry.

use yaniv_client::View;
use yaniv_client::types::{DrawFrom, LogEntry};

use crate::screen::paint::Paint;

/// The sentence of an entry; `None` for kinds newer than this program.
pub(crate) fn sentence(entry: &LogEntry, view: &View, paint: Paint) -> Option<String> {
    let who = who(entry, view);
    let done = match entry.type_.as_str() {
        "joined" => "joined.".to_owned(),
        "left" => "left.".to_owned(),
        "removed" if who == "You" => "were removed by the host.".to_owned(),
        "removed" => "was removed by the host.".to_owned(),
        "started" => "dealt the first cards.".to_owned(),
        "play" => play(entry, paint)?,
        "call" => call(entry, view, paint)?,
        "slam" => format!("slammed {} down on top of it.", paint.card(&entry.slam.as_ref()?.card)),
        "ask" => format!("asked for {}.", paint.card(&entry.ask.as_ref()?.card)),
        "give" => "gave the card away.".to_owned(),
        "keep" => "kept the card.".to_owned(),
        "challenge" => "challenged the call.".to_owned(),
        "expose" => "showed the hand.".to_owned(),
        "swap" => "exchanged hands with the caller.".to_owned(),
        "stay" => "kept the hand.".to_owned(),
        "pass" => "passed.".to_owned(),
        "resign" => "gave up.".to_owned(),
        _ => return None,
    };
    let recycled = if entry.recycled { " The buried cards were shuffled into a new stock." } else { "" };
    Some(format!("{who} {done}{recycled}"))
}

/// The acting player. Entries of a view have only the seat.
fn who<'a>(entry: &'a LogEntry, view: &'a View) -> &'a str {
    let name_of =
        |seat: i32| view.seats.iter().find(|one| one.seat == seat).map(|seat| seat.username.as_str());
    let name = entry.username.as_deref().map(String::as_str).or_else(|| name_of(entry.seat?));
    let own = name.is_some() && name == view.your_seat.and_then(name_of);
    if own { "You" } else { name.unwrap_or("Somebody") }
}

fn play(entry: &LogEntry, paint: Paint) -> Option<String> {
    let play = entry.play.as_ref()?;
    let card = play.draw_card.as_ref().map(|card| paint.card(card));
    let drew = match (play.draw_from, card) {
        (DrawFrom::Stock, Some(card)) => format!("drew {card} from the stock"),
        (DrawFrom::Stock, None) => "drew from the stock".to_owned(),
        (DrawFrom::Pile, Some(card)) => format!("took {card} from the pile"),
        _ => "drew nothing".to_owned(),
    };
    Some(format!("threw {} and {drew}.", paint.cards(&play.cards)))
}

fn call(entry: &LogEntry, view: &View, paint: Paint) -> Option<String> {
    let call = entry.call.as_ref()?;
    let word = call.word.as_deref().cloned().or_else(|| view.settings.rules.call_words.first().cloned())?;
    let what = match call.outcome.as_deref().map(String::as_str) {
        Some("final_turns") => " Everybody else has one more turn.".to_owned(),
        Some("challenged") => " The others challenge it or show their hands.".to_owned(),
        Some("penalty") => " That was with too many points.".to_owned(),
        Some("eliminated") => " That was with too many points, which is the end of it.".to_owned(),
        Some("drew_three") if call.drew.is_empty() => {
            " That was with too many points: three cards drawn.".to_owned()
        }
        Some("drew_three") => {
            format!(" That was with too many points: you drew {}.", paint.cards(&call.drew))
        }
        Some("swap_offered") => " That was with too many points: the others may exchange hands.".to_owned(),
        Some("out_of_turn") => " That was out of turn.".to_owned(),
        _ => String::new(),
    };
    Some(format!("called {}!{what}", capital(&word)))
}

/// The display name of a preset.
pub(crate) fn rules_name(preset: Option<&str>) -> String {
    preset.map_or_else(|| "Yaniv with own rules".to_owned(), |name| capital(&name.replace('_', " ")))
}

/// A player's name; bots are marked.
pub(crate) fn named(name: &str, bot: Option<bool>) -> String {
    if bot == Some(true) { format!("{name} (bot)") } else { name.to_owned() }
}

/// Capitalises a word.
pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
