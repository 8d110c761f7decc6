//! Legal discards and draws, numbered, and a parser for them. Both use the same `legal` of the view.

use yaniv_client::types::{Card, Draw, DrawFrom, SlamDownWish};
use yaniv_client::{Move, View};

use crate::screen::cards;
use crate::screen::paint::Paint;

/// The legal discards, heaviest first.
pub(crate) fn listed(view: &View) -> Vec<&Vec<Card>> {
    let mut throws: Vec<_> = view.legal.iter().flat_map(|legal| &legal.discards).collect();
    throws.sort_by_key(|throw| {
        (std::cmp::Reverse(cards::total(throw, &view.settings.rules)), std::cmp::Reverse(throw.len()))
    });
    throws
}

/// A draw with its short name: `s`, `p1`, `p2` …; empty where there is nothing to draw.
pub(crate) struct NamedDraw<'a> {
    pub(crate) name: String,
    pub(crate) draw: &'a Draw,
}

impl NamedDraw<'_> {
    /// As a row of the list.
    pub(crate) fn line(&self, paint: Paint) -> String {
        format!("{:<3} {}", self.name, self.meaning(paint))
    }

    /// Its description.
    pub(crate) fn meaning(&self, paint: Paint) -> String {
        match (self.draw.draw_from, &self.draw.draw_card) {
            (DrawFrom::Stock, _) => "from the stock".to_owned(),
            (_, Some(card)) => format!("{} from the pile", paint.card(card)),
            _ => "nothing, as there is nothing".to_owned(),
        }
    }
}

/// The legal draws, the stock first.
pub(crate) fn draws(view: &View) -> Vec<NamedDraw<'_>> {
    let mut draws: Vec<&Draw> = view.legal.iter().flat_map(|legal| &legal.draws).collect();
    draws.sort_by_key(|draw| draw.draw_from != DrawFrom::Stock);
    let mut cards = 0;
    let named = draws.into_iter().map(|draw| {
        let name = match draw.draw_from {
            DrawFrom::Stock => "s".to_owned(),
            DrawFrom::Pile => {
                cards += 1;
                format!("p{cards}")
            }
            DrawFrom::Nothing => String::new(),
        };
        NamedDraw { name, draw }
    });
    named.collect()
}

/// Parses a play: `3 s`, `3 p1`, `3 p7H`, `7H 8H 9H s`, each with `!` to slam down if possible.
///
/// # Errors
/// An explanation for the player.
pub(crate) fn parse(line: &str, view: &View) -> Result<Move, String> {
    let mut text = line.trim().to_lowercase();
    let slam = ["slam first", "slam", "!"].iter().find_map(|wish| {
        text.strip_suffix(wish).map(|rest| (rest.trim().to_owned(), wish.ends_with("first")))
    });
    let slam_down = match slam {
        Some((rest, first)) => {
            text = rest;
            Some(slam_wish(view, first)?)
        }
        None => None,
    };
    let words: Vec<&str> = text.split([' ', ',', '+']).filter(|word| !word.is_empty()).collect();
    let draw_at = words.iter().position(|word| word.starts_with(['p', 's', '-']) || *word == "nothing");
    let (throw, draw) = words.split_at_checked(draw_at.unwrap_or(words.len())).unwrap_or((&[], &[]));
    let cards = throw_meant(throw, view)?;
    let draw = draw_meant(draw, view)?;
    Ok(Move::Play { cards, draw_from: draw.draw_from, draw_card: draw.draw_card.clone(), slam_down })
}

fn slam_wish(view: &View, first: bool) -> Result<SlamDownWish, String> {
    if view.settings.rules.slam_down.as_str() == "off" {
        return Err("There is no slamming down in this match: leave it out.".to_owned());
    }
    Ok(if first { SlamDownWish::IfFitsFirst } else { SlamDownWish::IfFits })
}

fn throw_meant(words: &[&str], view: &View) -> Result<Vec<Card>, String> {
    let listed = listed(view);
    if let [number] = words
        && let Ok(number) = number.parse::<usize>()
    {
        let found = number.checked_sub(1).and_then(|at| listed.get(at));
        return found
            .map(|throw| (*throw).clone())
            .ok_or_else(|| format!("There is no throw number {number}: the list has {}.", listed.len()));
    }
    let mut typed = Vec::new();
    for word in words {
        let cards = cards::parse(word).ok_or_else(|| {
            format!("What is \"{word}\"? Type the number of a throw or cards, such as 7H, and then s or p1.")
        })?;
        typed.extend(cards);
    }
    if typed.is_empty() {
        return Err("What do you throw? Type its number or the cards before the draw: 1 s.".to_owned());
    }
    let held = held(&typed, view)?;
    let pickup = view.settings.rules.pickup.as_str();
    let same_cards = |throw: &&&Vec<Card>| sorted(throw) == sorted(&held);
    let nearness = |throw: &&&Vec<Card>| {
        let order = ***throw == held;
        let top = throw.last() == held.last();
        let ends = (top && throw.first() == held.first())
            || (throw.first() == held.last() && throw.last() == held.first());
        (order, if pickup == "top" { top } else { ends })
    };
    let best = listed.iter().filter(same_cards).max_by_key(nearness).map(|throw| (*throw).clone());
    let truncated = view.legal.as_ref().is_some_and(|legal| legal.truncated);
    // If the list is truncated, the service decides.
    best.or_else(|| truncated.then_some(held))
        .ok_or_else(|| "These cards cannot be thrown together: one card, equal ranks, or a run.".to_owned())
}

/// The cards of the hand that were typed; a joker of any colour is the one in the hand.
fn held(typed: &[String], view: &View) -> Result<Vec<Card>, String> {
    let mut hand = view.hand.as_ref().map(|hand| hand.cards.clone()).unwrap_or_default();
    let mut held = Vec::new();
    for name in typed {
        let at = hand.iter().position(|card| cards::is_meant(name, card));
        let at = at.ok_or_else(|| format!("You do not have {name}."))?;
        held.push(hand.remove(at));
    }
    Ok(held)
}

fn sorted(cards: &[Card]) -> Vec<&str> {
    let mut codes: Vec<&str> = cards.iter().map(|card| card.as_str()).collect();
    codes.sort_unstable();
    codes
}

fn draw_meant<'a>(words: &[&str], view: &'a View) -> Result<&'a Draw, String> {
    let draws = draws(view);
    let names = || draws.iter().map(|draw| draw.name.clone()).collect::<Vec<_>>().join(", ");
    let unclear = || format!("Where do you draw from? Type one of these after the throw: {}.", names());
    let joined = words.concat();
    let wanted = joined.strip_prefix("pile").map_or(joined.clone(), |card| format!("p{card}"));
    let mut fitting = draws.iter().filter(|draw| match wanted.as_str() {
        "" => draws.len() == 1,
        "s" | "stock" => draw.draw.draw_from == DrawFrom::Stock,
        "-" | "nothing" => draw.draw.draw_from == DrawFrom::Nothing,
        "p" => draw.draw.draw_from == DrawFrom::Pile,
        name if name == draw.name => true,
        name => {
            let card = name.strip_prefix('p').and_then(cards::parse);
            card.is_some_and(|card| {
                card.iter()
                    .any(|typed| draw.draw.draw_card.as_ref().is_some_and(|own| cards::is_meant(typed, own)))
            })
        }
    });
    let Some(found) = fitting.next() else {
        return Err(if wanted.is_empty() {
            unclear()
        } else {
            format!("You cannot draw like that now. {}", unclear())
        });
    };
    // With two jokers or two equal cards, either will do. Otherwise it must be unambiguous.
    if wanted == "p" && fitting.next().is_some() {
        return Err(unclear());
    }
    Ok(found.draw)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::sample;

    fn holding(pickup: &str, discards: &[&str]) -> View {
        let discards: Vec<Vec<&str>> = discards.iter().map(|cards| cards.split(' ').collect()).collect();
        sample::view(json!({
            "your_turn": true,
            "rules": {"pickup": pickup},
            "hand": {"cards": ["7C", "7D", "7H", "8H", "9H", "XR"]},
            "legal": {
                "discards": discards,
                "draws": [
                    {"draw_from": "pile", "draw_card": "4D"},
                    {"draw_from": "pile", "draw_card": "TS"},
                    {"draw_from": "stock"},
                ],
            },
        }))
    }

    fn read(line: &str, view: &View) -> Result<String, String> {
        let Move::Play { cards, draw_from, draw_card, slam_down } = parse(line, view)? else {
            unreachable!()
        };
        let cards: Vec<&str> = cards.iter().map(|card| card.as_str()).collect();
        let card = draw_card.map_or_else(String::new, |card| format!(" {}", *card));
        let slam = slam_down.map_or_else(String::new, |wish| format!(" {wish}"));
        Ok(format!("{} {draw_from}{card}{slam}", cards.join(" ")))
    }

    #[test]
    fn throws_and_draws_go_by_number_or_by_card() {
        let view = holding("ends", &["7C", "7C 7D", "7H 8H 9H", "9H", "XR"]);
        let plays = [
            ("1 s", "7H 8H 9H stock"),
            ("2 p1", "7C 7D pile 4D"),
            ("3 p10s", "9H pile TS"),
            ("3 p ts", "9H pile TS"),
            ("5 stock", "XR stock"),
            ("9h8h7h s", "7H 8H 9H stock"),
            ("8H 9H 7H pile 4d", "7H 8H 9H pile 4D"),
            ("joker s", "XR stock"),
        ];
        for (typed, play) in plays {
            assert_eq!(read(typed, &view).as_deref(), Ok(play), "{typed}");
        }
        for typed in
            ["6 s", "0 s", "1", "1 p", "1 p3", "1 p5C", "8H s", "2C s", "s", "1 2 s", "1 s !", "what"]
        {
            assert!(read(typed, &view).is_err(), "{typed}: {:?}", read(typed, &view));
        }
    }

    #[test]
    fn of_equal_sets_the_one_that_leaves_what_was_typed() {
        let ends = holding("ends", &["7C 7D 7H", "7C 7H 7D", "7D 7C 7H"]);
        assert_eq!(read("7C 7H 7D s", &ends).unwrap(), "7C 7H 7D stock");
        assert_eq!(read("7H 7C 7D s", &ends).unwrap(), "7D 7C 7H stock");
        let top = holding("top", &["7C 7D 7H", "7C 7H 7D", "7D 7H 7C"]);
        assert_eq!(read("7H 7C 7D s", &top).unwrap(), "7C 7H 7D stock");
    }

    #[test]
    fn the_wish_to_slam_down_is_sent_where_the_rules_have_it() {
        let mut view = holding("ends", &["9H"]);
        std::sync::Arc::make_mut(&mut view.settings).rules.slam_down = "any".parse().unwrap();
        assert_eq!(read("1 s!", &view).unwrap(), "9H stock if_fits");
        assert_eq!(read("1 s slam first", &view).unwrap(), "9H stock if_fits_first");
    }
}
