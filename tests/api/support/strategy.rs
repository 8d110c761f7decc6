//! Choosing moves from a view alone, by a random stream that a test can repeat.

use serde_json::{Value, json};

use super::version;

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

/// A legal action of the view, as its operation and its body: calls mostly where they are allowed, throws mostly
/// what weighs most, so that matches end.
pub(crate) fn choose(view: &Value, random: &mut Random) -> (&'static str, Value) {
    let legal = &view["legal"];
    if legal["call"] == true && random.below(10) < 8 {
        return ("calls", json!({"expected_version": version(view)}));
    }
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
    ("plays", body)
}

fn heaviest(discards: &Value) -> &Value {
    let weight = |cards: &Value| -> u32 { cards.as_array().unwrap().iter().map(points).sum() };
    discards.as_array().unwrap().iter().max_by_key(|cards| weight(cards)).unwrap()
}

fn points(card: &Value) -> u32 {
    match card.as_str().unwrap().chars().next().unwrap() {
        'X' => 0,
        'A' => 1,
        digit @ '2'..='9' => digit.to_digit(10).unwrap(),
        _ => 10,
    }
}
