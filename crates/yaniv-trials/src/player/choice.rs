//! Chooses an action that a view offers, with a reproducible random generator.

use serde_json::{Value, json};

use super::view::{Draw, Legal, View};

/// A small generator: `SplitMix64`.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    #[expect(clippy::should_implement_trait, reason = "an iterator may end")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a bound, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % bound).unwrap_or_default()
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

/// An action to send.
#[derive(Clone, Debug)]
pub struct Wish {
    /// The last part of its path: `plays`, `calls`, …
    pub operation: &'static str,
    /// Its body.
    pub body: Value,
}

/// Chooses an action that the view offers: usually calls where allowed, and usually discards the heaviest cards, so
/// that matches end. None if the match does not wait for the viewer.
#[must_use]
pub fn choose(view: &View<'_>, random: &mut Random) -> Option<Wish> {
    let legal = view.legal.as_ref().filter(|_| view.your_turn)?;
    let version = view.version;
    let mut one_of = |operation, first: &str, second: &str, of_ten: usize| {
        let answer = if random.below(10) < of_ten { first } else { second };
        Some(Wish { operation, body: json!({"expected_version": version, "answer": answer}) })
    };
    if legal.answer_call {
        return one_of("call-answers", "expose", "challenge", 6);
    }
    if legal.answer_swap {
        return one_of("swap-answers", "stay", "swap", 6);
    }
    if legal.answer_card_request {
        return one_of("card-request-answers", "give", "keep", 5);
    }
    let bare = json!({"expected_version": version});
    if legal.pass {
        return Some(Wish { operation: "passes", body: bare });
    }
    if legal.call && (legal.discards.is_empty() || random.below(10) < 8) {
        return Some(Wish { operation: "calls", body: bare });
    }
    play(legal, version, random)
}

fn play(legal: &Legal<'_>, version: i32, random: &mut Random) -> Option<Wish> {
    let heaviest =
        legal.discards.iter().max_by_key(|cards| cards.iter().map(|card| points(card)).sum::<u32>());
    let discard = if random.below(10) < 7 { heaviest } else { random.pick(&legal.discards) }?;
    let draw: &Draw<'_> = random.pick(&legal.draws)?;
    let mut body = json!({"expected_version": version, "cards": discard, "draw_from": draw.draw_from});
    if let (Some(card), Some(fields)) = (draw.draw_card, body.as_object_mut()) {
        fields.insert("draw_card".to_owned(), card.into());
    }
    Some(Wish { operation: "plays", body })
}

fn points(card: &str) -> u32 {
    match card.chars().next() {
        Some('X') | None => 0,
        Some('A') => 1,
        Some(digit @ '2'..='9') => digit.to_digit(10).unwrap_or_default(),
        Some(_) => 10,
    }
}
