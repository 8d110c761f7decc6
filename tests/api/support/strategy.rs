//! Chooses moves from a view alone, with a reproducible random generator.

use serde_json::{Value, json};

use super::{settings_of, version};

/// A small generator, so that a failing test can be repeated: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    pub(crate) fn pick<'a>(&mut self, from: &'a Value) -> &'a Value {
        &from[self.below(from.as_array().unwrap().len())]
    }
}

/// A legal action of the view, as operation and body: usually calls where allowed, and usually discards the heaviest
/// cards, so that matches end.
pub(crate) fn choose(view: &Value, random: &mut Random) -> (&'static str, Value) {
    let legal = &view["legal"];
    let mut one_of = |first: &str, second: &str, of_ten: usize| {
        let answer = if random.below(10) < of_ten { first } else { second };
        json!({"expected_version": version(view), "answer": answer})
    };
    if legal["answer_call"] == true {
        return ("call-answers", one_of("expose", "challenge", 6));
    }
    if legal["answer_swap"] == true {
        return ("swap-answers", one_of("stay", "swap", 6));
    }
    if legal["answer_card_request"] == true {
        return ("card-request-answers", one_of("give", "keep", 5));
    }
    if legal["pass"] == true {
        return ("passes", json!({"expected_version": version(view)}));
    }
    let must_call = legal["discards"].as_array().is_none_or(Vec::is_empty);
    if legal["call"] == true && (must_call || random.below(40) < call_zeal(view)) {
        return ("calls", json!({"expected_version": version(view)}));
    }
    ("plays", play(view, random))
}

/// Probability of a call, out of forty: high with few points; low where the rules would penalise it.
fn call_zeal(view: &Value) -> usize {
    let limit = settings_of(view)["rules"]["call_limit"].as_i64().unwrap_or(10);
    if view["hand"]["points"].as_i64().unwrap() <= limit { 32 } else { 1 }
}

fn play(view: &Value, random: &mut Random) -> Value {
    let legal = &view["legal"];
    let discard =
        if random.below(10) < 7 { heaviest(&legal["discards"]) } else { random.pick(&legal["discards"]) };
    let draw = random.pick(&legal["draws"]);
    let mut body = json!({
        "expected_version": version(view),
        "cards": discard,
        "draw_from": draw["draw_from"],
    });
    if let Some(card) = draw.get("draw_card") {
        body["draw_card"] = card.clone();
    }
    match random.below(4) {
        0 => body["slam_down"] = json!("if_fits"),
        1 => body["slam_down"] = json!("if_fits_first"),
        _ => {}
    }
    body
}

/// An optional action that the match does not wait for: a slam-down, or a request for a card.
pub(crate) fn aside(view: &Value, random: &mut Random) -> Option<(&'static str, Value)> {
    let legal = &view["legal"];
    if legal["slam_card"].is_string() {
        return Some((
            "slam-downs",
            json!({"expected_version": version(view), "first": random.below(2) == 0}),
        ));
    }
    let asks = legal["ask"].as_array().filter(|cards| !cards.is_empty())?;
    let card = &asks[random.below(asks.len())];
    Some(("card-requests", json!({"expected_version": version(view), "card": card})))
}

/// A rule set of random options; the service may refuse some of them.
pub(crate) fn random_rules(random: &mut Random) -> Value {
    let mut rules = json!({"max_rounds": 1 + random.below(3)});
    let presets = ["yaniv", "yaniv_wikipedia", "jhyap", "dhumbal", "dhumbal_jokers", "kluft", "speedy"];
    rules["preset"] = json!(presets[random.below(presets.len())]);
    let choices: &[(&str, &[Value])] = &[
        ("decks", &[json!(1), json!(2), json!(3)]),
        ("hand_size", &[json!(3), json!(4), json!(5), json!(7)]),
        ("direction", &[json!("clockwise"), json!("counterclockwise")]),
        ("pickup", &[json!("ends"), json!("ends_of_runs"), json!("any"), json!("top")]),
        ("jokers_in_sets", &[json!(true), json!(false)]),
        ("ace_high", &[json!(true), json!(false)]),
        ("min_turns", &[json!(0), json!(1), json!(2)]),
        (
            "over_limit",
            &[json!("penalty"), json!("eliminate"), json!("draw_three"), json!("swap"), json!("ignore")],
        ),
        ("out_of_turn", &[json!("reject"), json!("penalty")]),
        ("response", &[json!("reveal"), json!("final_turn"), json!("challenge")]),
        ("wrong_call_others", &[json!("none"), json!("above_caller"), json!("lowest_zero")]),
        ("slam_down", &[json!("any"), json!("stock"), json!("stock_sets"), json!("off")]),
        ("card_requests", &[json!(true), json!(false)]),
        ("elimination", &[json!(40), json!(100), json!(200)]),
        ("all_out", &[json!("lowest_wins"), json!("replay")]),
        ("call_limit", &[json!(3), json!(7), json!(13)]),
    ];
    for (option, values) in choices {
        if random.below(2) == 0 {
            rules[*option] = values[random.below(values.len())].clone();
        }
    }
    rules
}

fn heaviest(discards: &Value) -> &Value {
    discards.as_array().unwrap().iter().max_by_key(|cards| weight(cards)).unwrap()
}

/// The total points of these cards.
pub(crate) fn weight(cards: &Value) -> u32 {
    cards.as_array().unwrap().iter().map(points).sum()
}

fn points(card: &Value) -> u32 {
    match card.as_str().unwrap().chars().next().unwrap() {
        'X' => 0,
        'A' => 1,
        digit @ '2'..='9' => digit.to_digit(10).unwrap(),
        _ => 10,
    }
}
