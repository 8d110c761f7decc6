//! Which weights fit which rules.

use std::sync::LazyLock;

use yaniv_engine::{Preset, RuleOptions, Rules};

use crate::expert::Expert;

/// Rule sets that share weights: they differ only in what the networks get as inputs, as elimination and reductions, or
/// ignore, as bonus and words.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Family {
    /// The rule set that the weights are trained with, which also names them.
    pub preset: Preset,
    weights: &'static [u8],
}

macro_rules! families {
    ($($preset:ident = $file:literal;)+) => {
        impl Family {
            /// All families.
            pub const ALL: &[Family] = &[
                $(Family { preset: Preset::$preset, weights: include_bytes!(concat!("../../weights/", $file)) },)+
            ];
        }
    };
}

families! {
    Yaniv = "yaniv.bin";
    Jhyap = "jhyap.bin";
    Dhumbal = "dhumbal.bin";
    DhumbalJokers = "dhumbal_jokers.bin";
    Kluft = "kluft.bin";
    Speedy = "speedy.bin";
}

impl Expert {
    /// The networks that fit these rules, if there are any.
    pub fn fitting(rules: &Rules) -> Option<&'static Expert> {
        static EXPERTS: LazyLock<Vec<(RuleOptions, Expert)>> = LazyLock::new(|| {
            let read = |family: &Family| {
                Some((essence(&family.preset.options()), Expert::from_bytes(family.weights).ok()?))
            };
            Family::ALL.iter().filter_map(read).collect()
        });
        let essence = essence(rules.options());
        EXPERTS.iter().find(|(options, _)| *options == essence).map(|(_, expert)| expert)
    }
}

/// The options without those that a family does not determine.
fn essence(options: &RuleOptions) -> RuleOptions {
    let defaults = RuleOptions::default();
    RuleOptions {
        decks: defaults.decks,
        second_deck_at: defaults.second_deck_at,
        direction: defaults.direction,
        call_words: defaults.call_words,
        word_penalty: defaults.word_penalty,
        reductions: defaults.reductions,
        bonus: defaults.bonus,
        elimination: defaults.elimination,
        elimination_at: defaults.elimination_at,
        end: defaults.end,
        max_rounds: defaults.max_rounds,
        all_out: defaults.all_out,
        tie_starter: defaults.tie_starter,
        ..options.clone()
    }
}
