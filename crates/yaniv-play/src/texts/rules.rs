//! The rules of a match in words, with its option values.

use yaniv_client::types::RuleSet;

use crate::screen::paint::wrapped;

/// The rules, one per line.
pub(crate) fn rules_text(rules: &RuleSet) -> String {
    let mut lines = deal(rules);
    lines.extend(turns(rules));
    lines.extend(calls(rules));
    lines.extend(scores(rules));
    lines.extend(extras(rules));
    lines.iter().map(|line| format!("\n{}", wrapped(&format!("  - {line}"), 4))).collect()
}

fn deal(rules: &RuleSet) -> Vec<String> {
    let packs = match (rules.decks.get(), rules.second_deck_at) {
        (1, Some(players)) => format!("one pack (two from {players} players on)"),
        (1, None) => "one pack".to_owned(),
        (packs, _) => format!("{packs} packs"),
    };
    let suits = if rules.suits == 2 { " of hearts and spades" } else { "" };
    let jokers = match rules.jokers {
        0 => "no jokers".to_owned(),
        1 => "a joker".to_owned(),
        jokers => format!("{jokers} jokers"),
    };
    let direction = if rules.direction.as_str() == "clockwise" { "" } else { ", counterclockwise" };
    let worth = &rules.points;
    let mut lines = vec![
        format!(
            "{} cards each from {packs}{suits} with {jokers}; played in turn{direction}.",
            rules.hand_size
        ),
        format!(
            "Points: ace {}, jack {}, queen {}, king {}, joker {}, the others their number.",
            worth.ace, worth.jack, worth.queen, worth.king, worth.joker
        ),
    ];
    if let Some(points) = rules.one_eyed_jacks {
        lines.push(format!("The jacks of hearts and spades count {points}."));
    }
    lines
}

fn turns(rules: &RuleSet) -> Vec<String> {
    let pickup = match rules.pickup.as_str() {
        "ends" => "its first or last card",
        "ends_of_runs" => "any card of a set, the first or last of a run",
        "any" => "any of its cards",
        _ => "the card thrown last",
    };
    let jokers = match (rules.jokers, rules.jokers_in_runs, rules.jokers_in_sets) {
        (0, _, _) | (_, false, false) => "",
        (_, true, true) => " A joker stands for any card of a run or a set.",
        (_, true, false) => " A joker stands for any card of a run.",
        (_, false, true) => " A joker may join a set.",
    };
    let ace = if rules.ace_high { " An ace may also stand above a king." } else { "" };
    vec![format!(
        "Throw one card, cards of one rank, or three and more of a suit in a row.{jokers}{ace} Then draw from the stock \
             or take from the last discard {pickup}."
    )]
}

fn calls(rules: &RuleSet) -> Vec<String> {
    let word = rules.call_words.first().map_or("yaniv", |word| word);
    let limit = match rules.call_limit {
        Some(limit) => format!("with {limit} points or less"),
        None => "with any number of points".to_owned(),
    };
    let early = match rules.min_turns {
        0 => String::new(),
        1 => ", once everybody has had a turn".to_owned(),
        turns => format!(", once everybody has had {turns} turns"),
    };
    let mut lines = vec![format!("Call \"{word}\" at the beginning of your turn {limit}{early}.")];
    let follows = match rules.response.as_str() {
        "final_turn" => Some("After a call everybody else has one more turn."),
        "challenge" => Some(
            "After a call the others challenge it or show their hands; the lowest of those who called wins.",
        ),
        _ => None,
    };
    lines.extend(follows.map(str::to_owned));
    let over = match rules.over_limit.as_str() {
        "penalty" => Some("is a wrong call"),
        "eliminate" => Some("puts you out"),
        "draw_three" => Some("makes you draw three cards"),
        "swap" => Some("lets the others exchange hands with you"),
        "ignore" => Some("does nothing"),
        _ => None,
    };
    lines.extend(over.map(|what| format!("A call with more points {what}.")));
    if rules.out_of_turn.as_str() == "penalty" {
        lines.push("A call out of turn ends the round and costs 30.".to_owned());
    }
    if rules.word_penalty > 0 {
        lines.push(format!(
            "Another word than the first costs {}: {}.",
            rules.word_penalty,
            rules.call_words.join(", ")
        ));
    }
    lines
}

fn scores(rules: &RuleSet) -> Vec<String> {
    let tie = if rules.tie_is_wrong { "as little or less" } else { "less" };
    let others = match rules.wrong_call_others.as_str() {
        "none" => "nothing",
        "above_caller" => "their points, if more than the caller's",
        "lowest_zero" => "their points, but the lowest 0",
        "first_lowest_zero" => "their points, but the first of the lowest 0",
        _ => "their points",
    };
    let out = if rules.elimination_at.as_str() == "reached" { "reaches" } else { "goes above" };
    let end = if rules.end.as_str() == "first_elimination" {
        "when that happens first, the lowest total wins"
    } else {
        "the last one left wins"
    };
    let mut lines = vec![
        "A right call scores 0, the others their points.".to_owned(),
        format!(
            "It is wrong if somebody has {tie}: then the caller scores the points and {} more, the others {others}.",
            rules.wrong_call_penalty
        ),
        format!("Who {out} {} is out; {end}.", rules.elimination),
    ];
    if !rules.reductions.is_empty() {
        let pairs: Vec<String> =
            rules.reductions.iter().map(|one| format!("{} becomes {}", one.at, one.to)).collect();
        lines.push(format!("A total of exactly {}.", pairs.join(", ")));
    }
    if rules.extra_penalty > 0 {
        lines.push(format!("Each further player who beats the caller costs {} more.", rules.extra_penalty));
    }
    if let Some(bonus) = &rules.bonus {
        lines.push(format!("Every {}. right call takes {} points off.", bonus.every, bonus.points));
    }
    if let Some(rounds) = rules.max_rounds {
        lines.push(format!("After round {rounds} the lowest total wins."));
    }
    lines
}

fn extras(rules: &RuleSet) -> Vec<String> {
    let slam = match rules.slam_down.as_str() {
        "off" => None,
        "any" => Some("Slam down: a card just drawn that fits the discard may follow it at once."),
        "stock" => {
            Some("Slam down: a card just drawn from the stock that fits the discard may follow it at once.")
        }
        _ => Some("Slam down: a card from the stock may follow a single card or a set of its rank at once."),
    };
    let requests = rules.card_requests.then_some(
        "Before somebody plays, others may ask for a card that can be picked up; that player gives it or keeps it.",
    );
    slam.into_iter().chain(requests).map(str::to_owned).collect()
}
