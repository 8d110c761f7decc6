//! Parser of the commands in a match. Nothing is sent for a line that was not understood; the player gets an
//! explanation.

use std::path::PathBuf;

use yaniv_client::types::{CallAnswer, Card, CardRequestAnswer, Legal, SwapAnswer};
use yaniv_client::{Move, View};

use crate::game::throws;
use crate::screen::cards;
use crate::texts::clock;

/// A command.
#[derive(Debug)]
pub(crate) enum Command {
    /// Act.
    Act(Move),
    /// Resign, after a confirmation.
    Resign,
    /// Dedicate the turned-up card.
    Dedication(String),
    /// Show the table, optionally with all discards.
    Table {
        all: bool,
    },
    /// Show the help.
    Help,
    Rules,
    Scores,
    Log(usize),
    /// Save the record to a file.
    Record(PathBuf),
    /// Switch automatic play on or off.
    Auto,
    /// Go back to the list of matches.
    Back,
    /// Quit the program.
    Quit,
}

/// Used when the view has no `legal`.
const NOTHING: Legal = Legal {
    discards: Vec::new(),
    draws: Vec::new(),
    truncated: false,
    call: false,
    pass: false,
    slam_card: None,
    slam_either_end: false,
    ask: Vec::new(),
    answer_card_request: false,
    answer_call: false,
    answer_swap: false,
};

/// Default number of entries of `log`.
const LOG: usize = 20;

/// Parses a line.
///
/// # Errors
/// An explanation for the player.
pub(crate) fn parse(line: &str, view: &View) -> Result<Command, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let lower = word.to_lowercase();
    let command = match lower.as_str() {
        "help" | "h" | "?" => Command::Help,
        "rules" => Command::Rules,
        "scores" | "score" => Command::Scores,
        "log" => Command::Log(if rest.is_empty() {
            LOG
        } else {
            rest.parse().map_err(|_| "log 50, for example.")?
        }),
        "record" if rest.is_empty() => {
            return Err("Into which file? For example: record match.json".to_owned());
        }
        "record" => Command::Record(PathBuf::from(rest)),
        "table" | "t" => Command::Table { all: false },
        "all" => Command::Table { all: true },
        "auto" => Command::Auto,
        "back" | "b" | "q" => Command::Back,
        "quit" | "exit" | "bye" => Command::Quit,
        "resign" => Command::Resign,
        "dedicate" if rest.is_empty() => {
            return Err("Which words? For example: dedicate Good luck".to_owned());
        }
        "dedicate" => Command::Dedication(rest.to_owned()),
        _ => return action(&lower, rest, line, view).map(Command::Act),
    };
    Ok(command)
}

fn action(word: &str, rest: &str, line: &str, view: &View) -> Result<Move, String> {
    let legal = &view.legal.clone().unwrap_or(NOTHING);
    let only =
        |allowed: bool, action: Move, otherwise: &str| allowed.then_some(action).ok_or(otherwise.to_owned());
    let nobody_asked = "Nobody has asked you for a card.";
    let no_call = "There is no call for you to answer.";
    let no_offer = "Nobody offers you a hand.";
    match word {
        "call" => call((!rest.is_empty()).then_some(rest), legal, view, false),
        "call!" => call((!rest.is_empty()).then_some(rest), legal, view, true),
        "slam" => only(
            legal.slam_card.is_some(),
            Move::SlamDown { first: rest == "first" },
            "There is nothing to slam down now.",
        ),
        "ask" => ask(rest, legal),
        "give" => only(legal.answer_card_request, Move::AnswerRequest(CardRequestAnswer::Give), nobody_asked),
        "keep" => only(legal.answer_card_request, Move::AnswerRequest(CardRequestAnswer::Keep), nobody_asked),
        "challenge" => only(legal.answer_call, Move::AnswerCall(CallAnswer::Challenge), no_call),
        "expose" => only(legal.answer_call, Move::AnswerCall(CallAnswer::Expose), no_call),
        "swap" => only(legal.answer_swap, Move::AnswerSwap(SwapAnswer::Swap), no_offer),
        "stay" => only(legal.answer_swap, Move::AnswerSwap(SwapAnswer::Stay), no_offer),
        "pass" => only(legal.pass, Move::Pass, "You can pass only with no cards, where you may not call."),
        _ if view.settings.rules.call_words.iter().any(|known| known == word.trim_end_matches('!')) => {
            call(Some(word.trim_end_matches('!')), legal, view, word.ends_with('!'))
        }
        _ if !view.your_turn => Err(format!("It is not your turn. {}", clock::pressure(view))),
        _ if legal.discards.is_empty() => {
            Err(format!("\"{line}\" is nothing that you can do now. help tells what is."))
        }
        _ => throws::parse(line, view),
    }
}

/// A call, if it is allowed; a penalised one only if `sure`.
fn call(word: Option<&str>, legal: &Legal, view: &View, sure: bool) -> Result<Move, String> {
    let words = &view.settings.rules.call_words;
    let word = word.map(|word| word.trim_end_matches('!').to_lowercase());
    if word.as_ref().is_some_and(|word| !words.contains(word)) {
        return Err(format!("Here one says {}.", words.join(" or ")));
    }
    let points = view.hand.as_ref().map_or(0, |hand| hand.points);
    let over = view.settings.rules.call_limit.is_some_and(|limit| points > limit);
    let rules = &view.settings.rules;
    if legal.call && over && rules.over_limit.as_str() != "ignore" && !sure {
        return Err(format!(
            "You have {points} points, which is over the limit, and these rules punish that. If you mean it: call!"
        ));
    }
    if !legal.call && !view.your_turn && rules.out_of_turn.as_str() == "penalty" {
        if !sure {
            return Err("It is not your turn, and these rules punish that. If you mean it: call!".to_owned());
        }
    } else if !legal.call {
        return Err(match rules.call_limit {
            _ if !view.your_turn => "It is not your turn.".to_owned(),
            Some(limit) if points > limit => {
                format!("You have {points} points; to call, {limit} are the most.")
            }
            _ => "You may not call now.".to_owned(),
        });
    }
    let right = words.first();
    Ok(Move::Call { word: word.filter(|word| Some(word) != right) })
}

fn ask(rest: &str, legal: &Legal) -> Result<Move, String> {
    let typed = cards::parse(rest).unwrap_or_default();
    let wanted = |card: &&Card| matches!(typed.as_slice(), [one] if cards::is_meant(one, card));
    match legal.ask.iter().find(wanted) {
        Some(card) => Ok(Move::Ask { card: card.clone() }),
        None if legal.ask.is_empty() => Err("You cannot ask for a card now.".to_owned()),
        None => {
            let cards: Vec<&str> = legal.ask.iter().map(|card| card.as_str()).collect();
            Err(format!("You may ask for {}.", cards.join(" or ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::sample;

    fn read(line: &str, changes: Value) -> Result<String, String> {
        parse(line, &sample::view(changes)).map(|command| format!("{command:?}"))
    }

    #[test]
    fn a_call_is_sent_only_if_it_is_meant() {
        let holding =
            |points| json!({"your_turn": true, "hand": {"points": points}, "legal": {"call": points <= 5}});
        assert_eq!(read("call", holding(5)).unwrap(), "Act(Call { word: None })");
        assert_eq!(read("Yaniv!", holding(5)).unwrap(), "Act(Call { word: None })");
        assert!(read("call", holding(6)).unwrap_err().contains("5 are the most"));
        assert!(read("call kluft", holding(5)).is_err());

        let words = json!({"your_turn": true, "hand": {"points": 3}, "legal": {"call": true}, "rules": {"call_words": ["yan", "yaniv"]}});
        assert_eq!(read("call yaniv", words.clone()).unwrap(), "Act(Call { word: Some(\"yaniv\") })");
        assert_eq!(read("yan", words).unwrap(), "Act(Call { word: None })");

        let punished = json!({"your_turn": true, "hand": {"points": 9}, "legal": {"call": true}, "rules": {"over_limit": "penalty"}});
        assert!(read("call", punished.clone()).unwrap_err().contains("call!"));
        assert_eq!(read("call!", punished).unwrap(), "Act(Call { word: None })");

        let early =
            json!({"your_turn": false, "legal": {"call": false}, "rules": {"out_of_turn": "penalty"}});
        assert!(read("call", early.clone()).unwrap_err().contains("call!"));
        assert_eq!(read("call!", early).unwrap(), "Act(Call { word: None })");
    }

    #[test]
    fn every_answer_has_its_word() {
        let asked = || {
            json!({"your_turn": true, "legal": {"answer_card_request": true, "answer_call": true, "answer_swap": true, "pass": true,
            "ask": ["4D"], "slam_card": "4D", "slam_either_end": true}})
        };
        for (word, action) in [
            ("give", "AnswerRequest(Give)"),
            ("keep", "AnswerRequest(Keep)"),
            ("challenge", "AnswerCall(Challenge)"),
            ("expose", "AnswerCall(Expose)"),
            ("swap", "AnswerSwap(Swap)"),
            ("stay", "AnswerSwap(Stay)"),
            ("pass", "Pass"),
            ("slam first", "SlamDown { first: true }"),
            ("ask 4d", "Ask { card: Card(\"4D\") }"),
        ] {
            assert_eq!(read(word, asked()).unwrap(), format!("Act({action})"));
        }
        assert!(read("give", json!({})).unwrap_err().contains("Nobody has asked"));
        assert_eq!(read("resign", json!({})).unwrap(), "Resign");
        assert_eq!(read("dedicate Good luck", json!({})).unwrap(), "Dedication(\"Good luck\")");
    }
}
