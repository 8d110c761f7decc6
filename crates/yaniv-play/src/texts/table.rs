//! The table as one player sees it: seats, pile, the player's hand, and legal actions.

use std::fmt::Write;

use yaniv_client::View;
use yaniv_client::types::{Seat, Table};

use crate::game::throws;
use crate::screen::cards;
use crate::screen::paint::Paint;
use crate::texts::clock;
use crate::texts::story::{capital, named, rules_name};

/// How many discards are listed without `all`.
pub(crate) const LISTED: usize = 12;

/// The current state of a running match.
pub(crate) fn draw(view: &View, paint: Paint, all: bool) -> String {
    let Some(table) = &view.table else { return String::new() };
    let mut text = String::new();
    let name = rules_name(view.settings.preset.as_deref().map(String::as_str));
    let sudden = if table.sudden_death { "  Sudden death: only those tied play on." } else { "" };
    let title = format!("Round {} of {name}", table.round);
    let _ = writeln!(text, "\n{}{sudden}", paint.bold(&title));
    let width = view.seats.iter().map(|seat| named(&seat.username, seat.bot).len()).max().unwrap_or(0);
    for seat in &view.seats {
        let _ = writeln!(text, "{}", seat_line(seat, table, view, width, paint));
    }
    let _ = writeln!(text, "\n  {}", pile_line(table, paint));
    if let Some(dedication) =
        table.dedication.as_ref().filter(|_| view.seats.iter().all(|seat| seat.turns == 0))
    {
        let _ = writeln!(text, "  With the turned-up card: \"{}\"", *dedication.text);
    }
    if let Some(hand) = &view.hand {
        let held = if hand.cards.is_empty() { "none".to_owned() } else { paint.cards(&hand.cards) };
        let points = if hand.points == 1 { "1 point".to_owned() } else { format!("{} points", hand.points) };
        let _ = writeln!(text, "  Your cards: {}   ({points})", paint.bold(&held));
    }
    text.push_str(&choices(view, paint, all));
    if !view.your_turn {
        let _ = writeln!(text, "\n  {}", paint.dim(&clock::pressure(view)));
    }
    text
}

fn seat_line(seat: &Seat, table: &Table, view: &View, width: usize, paint: Paint) -> String {
    let acts = table.to_act.contains(&seat.seat);
    let mark = if acts { ">" } else { " " };
    let you = Some(seat.seat) == view.your_seat;
    let state = if seat.out {
        "out".to_owned()
    } else {
        let answer = table.answers.iter().find(|answer| answer.seat == seat.seat);
        let doing = match answer.map(|answer| answer.answer.as_str()) {
            Some("challenge") => "challenges the call",
            Some("expose") => "has shown the hand",
            Some("stay") => "keeps the hand",
            _ if table.caller == Some(seat.seat) => "has called",
            _ if acts && you => "your turn",
            _ if acts => "to act",
            _ => "",
        };
        let shown = if seat.exposed.is_empty() { String::new() } else { paint.cards(&seat.exposed) };
        format!("{:>2} cards  {doing} {shown}", seat.card_count)
    };
    let name = format!("{:<width$}", named(&seat.username, seat.bot));
    let name = if you { paint.bold(&name) } else { name };
    format!("{mark} {name}  {:>4} points   {}", seat.total, state.trim_end())
}

fn pile_line(table: &Table, paint: Paint) -> String {
    let takes = if table.pickable.is_empty() {
        "nothing to pick up".to_owned()
    } else if table.pickable == table.pile {
        "to pick up".to_owned()
    } else {
        let mut pickable = table.pickable.clone();
        pickable.dedup();
        format!("to pick up: {}", paint.cards(&pickable))
    };
    format!("Pile: {}   ({takes})   Stock: {} cards", paint.cards(&table.pile), table.stock_count)
}

/// The legal actions, and the commands for them.
fn choices(view: &View, paint: Paint, all: bool) -> String {
    let mut text = String::new();
    let Some(legal) = &view.legal else { return text };
    if !legal.discards.is_empty() {
        text.push_str(&throws_and_draws(view, legal.truncated, paint, all));
    }
    text.push('\n');
    for hint in hints(view, paint) {
        let _ = writeln!(text, "  {hint}");
    }
    text
}

/// Two lists side by side: every discard can be combined with every draw.
fn throws_and_draws(view: &View, truncated: bool, paint: Paint, all: bool) -> String {
    let (throws, draws) = (throws::listed(view), throws::draws(view));
    let shown = if all { throws.len() } else { throws.len().min(LISTED) };
    let column = throws.iter().take(shown).map(|throw| paint.width(throw)).max().unwrap_or(0).max(8);
    let left = column + 15;
    let mut text = format!("\n{:<left$}     and draw\n", "  You can throw");
    for line in 0..shown.max(draws.len()) {
        let throw = throws.get(line).filter(|_| line < shown).map_or_else(
            || " ".repeat(left),
            |throw| {
                let worth = cards::total(throw, &view.settings.rules);
                format!("{:>4}  {}  {worth:>3} off", line + 1, paint.padded(throw, column))
            },
        );
        let draw = draws.get(line).map_or_else(String::new, |draw| draw.line(paint));
        let _ = writeln!(text, "{}", format!("{throw}     {draw}").trim_end());
    }
    if shown < throws.len() || truncated {
        let more = throws.len() - shown;
        let _ = writeln!(text, "      and {more} more:  all  lists them; cards can be typed, too");
    }
    text
}

/// One line for each legal action besides discards.
fn hints(view: &View, paint: Paint) -> Vec<String> {
    let mut hints = Vec::new();
    let (Some(legal), Some(table)) = (&view.legal, &view.table) else { return hints };
    let mut hint = |word: &str, meaning: &str| {
        let gap = " ".repeat(10_usize.saturating_sub(word.len()));
        hints.push(format!("{}{gap} {meaning}", paint.bold(word)));
    };
    if let (Some(throw), Some(draw)) = (throws::listed(view).first(), throws::draws(view).first()) {
        let typed = format!("1 {}", draw.name);
        hint(typed.trim(), &format!("throws {} and draws {}", paint.cards(throw), draw.meaning(paint)));
    }
    if legal.call {
        let word = view.settings.rules.call_words.first().map_or("yaniv", |word| word);
        hint("call", &format!("says {}! and ends the round", capital(word)));
    }
    if legal.pass {
        hint("pass", "ends your turn: you have no cards");
    }
    if let Some(card) = &legal.slam_card {
        hint("slam", &format!("puts {} on the pile, too", paint.card(card)));
        if legal.slam_either_end {
            hint("slam first", "the same, at the low end of the run");
        }
    }
    if !legal.ask.is_empty() {
        let card = legal.ask.first().map_or("7H", |card| card);
        hint(&format!("ask {card}"), &format!("asks for a card of the pile: {}", paint.cards(&legal.ask)));
    }
    if legal.answer_card_request {
        let card = table.asked_card.as_ref().map_or_else(String::new, |card| paint.card(card));
        hint("give", &format!("lets the other have {card}"));
        hint("keep", &format!("takes {card} yourself"));
    }
    if legal.answer_call {
        hint("challenge", "says that you have fewer points than the caller");
        hint("expose", "shows your hand and lets the call stand");
    }
    if legal.answer_swap {
        hint("swap", "exchanges your hand with the caller's");
        hint("stay", "keeps your hand");
    }
    if may_dedicate(view, table) {
        hint("dedicate WORDS", "dedicates the turned-up card, as the dealer may");
    }
    if view.your_turn {
        hint("help", "tells what else can be typed");
    }
    hints
}

fn may_dedicate(view: &View, table: &Table) -> bool {
    view.your_seat == Some(table.dealer)
        && table.dedication.is_none()
        && !table.asked
        && view.seats.iter().all(|seat| seat.turns == 0)
}
