//! The rule set that is wanted of a new match: a preset and what differs from it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::match_view::rule_set_body::{BonusBody, ReductionBody};

/// A preset and what differs from it. An option that is left out is that of the preset; without a preset, `yaniv`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RuleSetRequest, examples(json!({"preset": "yaniv", "elimination": 100, "reductions": []})))]
pub struct RuleSetRequest {
    /// Named rule set to begin with: `yaniv`, `yaniv_wikipedia`, `jhyap`, `dhumbal`, `dhumbal_jokers`, `kluft`,
    /// `speedy`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("yaniv"))]
    pub preset: Option<String>,
    /// Packs shuffled together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 4, examples(1))]
    pub decks: Option<i32>,
    /// Suits of a pack: 4, or 2 (hearts and spades).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 2, maximum = 4, examples(4))]
    pub suits: Option<i32>,
    /// Jokers in each pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 2, examples(2))]
    pub jokers: Option<i32>,
    /// Cards dealt to each player.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 3, maximum = 7, examples(5))]
    pub hand_size: Option<i32>,
    /// Order of play: `clockwise`, `counterclockwise`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("clockwise"))]
    pub direction: Option<String>,
    /// An ace may also end a run above a king.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ace_high: Option<bool>,
    /// A joker stands for any card of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub jokers_in_runs: Option<bool>,
    /// A joker may join a set that has a natural card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub jokers_in_sets: Option<bool>,
    /// Jokers alone may be thrown together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub joker_pair: Option<bool>,
    /// Natural cards that a run needs at least.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 2, examples(1))]
    pub min_naturals: Option<i32>,
    /// What can be picked up from the pile: `ends`, `ends_of_runs`, `any`, `top`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("ends"))]
    pub pickup: Option<String>,
    /// Turns that everybody must have had in the round before anyone may call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 5, examples(0))]
    pub min_turns: Option<i32>,
    /// Added to the caller's score for a word that is not the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 100, examples(0))]
    pub word_penalty: Option<i32>,
    /// A call with more points than the limit: `reject`, `penalty`, `eliminate`, `draw_three`, `swap`, `ignore`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("reject"))]
    pub over_limit: Option<String>,
    /// A call when it is not one's turn: `reject`, `penalty`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("reject"))]
    pub out_of_turn: Option<String>,
    /// What follows a call: `reveal`, `final_turn`, `challenge`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("reveal"))]
    pub response: Option<String>,
    /// Added to the score of a failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 100, examples(30))]
    pub wrong_call_penalty: Option<i32>,
    /// Added for each player beyond the first who defeats the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 100, examples(0))]
    pub extra_penalty: Option<i32>,
    /// What the others score after a failed call: `hand`, `none`, `above_caller`, `lowest_zero`, `first_lowest_zero`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("hand"))]
    pub wrong_call_others: Option<String>,
    /// An equal hand defeats the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub tie_is_wrong: Option<bool>,
    /// Who has more than this total is out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 10, maximum = 1000, examples(200))]
    pub elimination: Option<i32>,
    /// `over`: out above the total; `reached`: out at it already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("over"))]
    pub elimination_at: Option<String>,
    /// `last_standing`: until one player is left; `first_elimination`: until somebody goes out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("last_standing"))]
    pub end: Option<String>,
    /// When everybody left goes out at once: `lowest_wins`, `replay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("lowest_wins"))]
    pub all_out: Option<String>,
    /// Who starts after a tie for the lowest hand: `left_of_caller`, `left_of_dealer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("left_of_caller"))]
    pub tie_starter: Option<String>,
    /// When a card just drawn may follow the discard: `off`, `any`, `stock`, `stock_sets`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("off"))]
    pub slam_down: Option<String>,
    /// Others may ask for a card that the player to act could pick up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub card_requests: Option<bool>,
    /// From this number of players on, two packs are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 2, maximum = 10, examples(5))]
    pub second_deck_at: Option<i32>,
    /// True: the number of packs does not depend on the number of players, whatever the preset says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub second_deck_off: Option<bool>,
    /// What cards are worth; those left out stay as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub points: Option<PointsRequest>,
    /// What the one-eyed jacks, JH and JS, count instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(0))]
    pub one_eyed_jacks: Option<i32>,
    /// Most points to call with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 200, examples(7))]
    pub call_limit: Option<i32>,
    /// True: there is no limit to call with, whatever the preset says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub call_limit_off: Option<bool>,
    /// Words a caller may say, 1 to 16 letters a to z each; the first is the right one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_items = 1, max_items = 4, examples("yaniv"))]
    pub call_words: Option<Vec<String>>,
    /// Totals that, when hit exactly, are replaced.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 20)]
    pub reductions: Option<Vec<ReductionBody>>,
    /// Deducted at every so many successful calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bonus: Option<BonusBody>,
    /// The lowest total wins after so many rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 100, examples(10))]
    pub max_rounds: Option<i32>,
}

/// What cards are worth that do not count their number; those left out stay as they are.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PointsRequest)]
pub struct PointsRequest {
    /// An ace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(1))]
    pub ace: Option<i32>,
    /// A jack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(10))]
    pub jack: Option<i32>,
    /// A queen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(10))]
    pub queen: Option<i32>,
    /// A king.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(10))]
    pub king: Option<i32>,
    /// A joker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(0))]
    pub joker: Option<i32>,
}
