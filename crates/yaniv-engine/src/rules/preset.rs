//! The named rule sets of rules §3, as differences from the defaults.

use crate::rules::choices::{Direction, Pickup, Response, TieStarter, WrongCallOthers, choices};
use crate::rules::options::{Points, Reduction, RuleOptions};

choices! {
    /// A named rule set.
    Preset {
        /// Israel, the main text of Pagat.
        Yaniv = "yaniv",
        /// The main text of Wikipedia.
        YanivWikipedia = "yaniv_wikipedia",
        /// Jhyap.
        Jhyap = "jhyap",
        /// Nepal, without jokers.
        Dhumbal = "dhumbal",
        /// Nepal, with jokers.
        DhumbalJokers = "dhumbal_jokers",
        /// The Netherlands.
        Kluft = "kluft",
        /// Yan, with a half pack and three cards.
        Speedy = "speedy",
    }
}

impl Preset {
    /// The display name.
    pub const fn title(self) -> &'static str {
        match self {
            Preset::Yaniv => "Yaniv",
            Preset::YanivWikipedia => "Yaniv (Wikipedia)",
            Preset::Jhyap => "Jhyap",
            Preset::Dhumbal => "Dhumbal",
            Preset::DhumbalJokers => "Dhumbal with jokers",
            Preset::Kluft => "Kluft",
            Preset::Speedy => "Speedy Yan",
        }
    }

    /// A description in one line.
    pub const fn description(self) -> &'static str {
        match self {
            Preset::Yaniv => {
                "as played in Israel: call with 5 or less, out above 200, 100 and 200 are halved"
            }
            Preset::YanivWikipedia => "as Yaniv, but no total is ever reduced",
            Preset::Jhyap => "an equal hand does not defeat the caller; any card of a set can be picked up",
            Preset::Dhumbal => "Nepal: counterclockwise, no jokers, jacks count nothing, out above 100",
            Preset::DhumbalJokers => "Nepal with jokers; jack, queen and king count 11, 12 and 13",
            Preset::Kluft => {
                "the Netherlands: the others expose or challenge, only the top card can be picked up"
            }
            Preset::Speedy => "half a pack, three cards each, and the word is Yan",
        }
    }

    /// The options of this preset.
    pub fn options(self) -> RuleOptions {
        let defaults = RuleOptions::default();
        match self {
            Preset::Yaniv => defaults,
            Preset::YanivWikipedia => RuleOptions { reductions: Vec::new(), ..defaults },
            Preset::Jhyap => RuleOptions {
                call_words: words(&["jhyap", "yaniv"]),
                pickup: Pickup::EndsOfRuns,
                tie_is_wrong: false,
                tie_starter: TieStarter::LeftOfDealer,
                second_deck_at: Some(5),
                ..defaults
            },
            Preset::Dhumbal => RuleOptions {
                call_words: words(&["jhyap"]),
                direction: Direction::Counterclockwise,
                jokers: 0,
                points: Points { jack: 0, ..defaults.points },
                pickup: Pickup::Any,
                wrong_call_penalty: 25,
                wrong_call_others: WrongCallOthers::None,
                elimination: 100,
                reductions: Vec::new(),
                ..defaults
            },
            Preset::DhumbalJokers => RuleOptions {
                jokers: 2,
                points: Points { jack: 11, queen: 12, king: 13, ..defaults.points },
                ..Preset::Dhumbal.options()
            },
            Preset::Kluft => RuleOptions {
                call_words: words(&["kluft"]),
                jokers_in_runs: false,
                pickup: Pickup::Top,
                response: Response::Challenge,
                wrong_call_penalty: 15,
                elimination: 100,
                reductions: vec![Reduction { at: 100, to: 50 }],
                ..defaults
            },
            Preset::Speedy => RuleOptions {
                call_words: words(&["yan", "yaniv"]),
                word_penalty: 30,
                hand_size: 3,
                suits: 2,
                jokers: 1,
                ..defaults
            },
        }
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
