//! Scores of a finished round, of all rounds, and of the match.

use std::fmt::Write;

use yaniv_client::View;
use yaniv_client::types::{MatchResult, Round, RoundResult, RoundScore};

use crate::screen::paint::Paint;

/// A finished round, with all hands.
pub(crate) fn round(round: &Round, view: &View, paint: Paint) -> String {
    let Some(result) = &round.result else {
        return format!("\n{}", paint.bold(&format!("Round {} ended without scores.", round.round)));
    };
    let mut text = String::new();
    let title = format!("Round {} is over: {}", round.round, verdict(result, view));
    let _ = writeln!(text, "\n{}", paint.bold(&title));
    let width = name_width(view);
    let cards = result.hands.iter().map(|hand| paint.width(hand)).max().unwrap_or(0);
    for (seat, name) in names(view) {
        let at = |list: &[i32]| usize::try_from(seat).ok().and_then(|at| list.get(at).copied()).unwrap_or(0);
        let hand =
            usize::try_from(seat).ok().and_then(|at| result.hands.get(at)).cloned().unwrap_or_default();
        let mark = if seat == result.caller { "*" } else { " " };
        let mut notes = String::new();
        if result.reduced.contains(&seat) {
            let _ = write!(notes, "  reduced!");
        }
        if result.out.contains(&seat) {
            let _ = write!(notes, "  out");
        }
        let _ = writeln!(
            text,
            "{mark} {name:<width$}  {} {:>3} points  {:>+4}  {:>4} in all{notes}",
            paint.padded(&hand, cards),
            at(&result.points),
            at(&result.scores),
            at(&result.totals),
        );
    }
    text
}

/// The score sheet.
pub(crate) fn sheet(view: &View, paint: Paint) -> String {
    if view.scores.is_empty() {
        return "No round is over yet.".to_owned();
    }
    let mut text = String::from("\nround");
    let names = names(view);
    for (_, name) in &names {
        let _ = write!(text, "  {}", paint.bold(&format!("{name:>12}")));
    }
    for line in &view.scores {
        let _ = write!(text, "\n{}", sheet_line(line, names.len()));
    }
    let _ = write!(text, "\n  (points of the round, then the total; * has called)");
    text
}

fn sheet_line(line: &RoundScore, seats: usize) -> String {
    let mut text = format!("{:>5}", line.round);
    if line.scores.is_empty() {
        return text + "  not scored";
    }
    for (seat, (score, total)) in line.scores.iter().zip(&line.totals).enumerate().take(seats) {
        let called = line.caller.is_some_and(|caller| usize::try_from(caller) == Ok(seat));
        let mark = if called { "*" } else { " " };
        let _ = write!(text, "  {:>12}", format!("{mark}{score:+} {total:>4}"));
    }
    text
}

/// The winner, and the places of the others.
pub(crate) fn ranking(result: &MatchResult, view: &View, paint: Paint) -> String {
    let winner = result.winner.and_then(|seat| view.seats.iter().find(|one| one.seat == seat));
    let title = match winner {
        Some(seat) if Some(seat.seat) == view.your_seat => "The match is over: you win!".to_owned(),
        Some(seat) => format!("The match is over: {} wins.", *seat.username),
        None => "The match is over: the win is shared.".to_owned(),
    };
    let mut text = format!("\n{}", paint.bold(&title));
    let mut places: Vec<_> = result.ranking.iter().zip(&view.seats).collect();
    places.sort_by_key(|(place, _)| **place);
    let width = name_width(view);
    for (place, seat) in places {
        let you = if Some(seat.seat) == view.your_seat { "  (you)" } else { "" };
        let _ = write!(text, "\n  {place}. {:<width$}  {:>4} points{you}", *seat.username, seat.total);
    }
    text
}

/// Who called, and whether the call was right.
fn verdict(result: &RoundResult, view: &View) -> String {
    let caller = view.seats.iter().find(|seat| seat.seat == result.caller);
    let you = Some(result.caller) == view.your_seat;
    let who = if you { "you" } else { caller.map_or("somebody", |seat| &**seat.username) };
    let of = |list: &[i32]| usize::try_from(result.caller).ok().and_then(|at| list.get(at).copied());
    let (points, score) = (of(&result.points).unwrap_or(0), of(&result.scores).unwrap_or(0));
    let points = if points == 1 { "1 point".to_owned() } else { format!("{points} points") };
    if result.call_right {
        format!("{who} called with {points}, and nobody beat that.")
    } else {
        format!("{who} called with {points}. Asaf! It was wrong and costs {score}.")
    }
}

fn names(view: &View) -> Vec<(i32, &str)> {
    view.seats.iter().map(|seat| (seat.seat, seat.username.as_str())).collect()
}

fn name_width(view: &View) -> usize {
    view.seats.iter().map(|seat| seat.username.len()).max().unwrap_or(0)
}
