//! The rule set of a match, every option of it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_engine::RuleOptions;

/// The rule set of a match. Every option is there; one that is switched off is left out (`call_limit`,
/// `second_deck_at`, `one_eyed_jacks`, `bonus`, `max_rounds`).
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RuleSet)]
pub struct RuleSetBody {
    /// Packs shuffled together.
    #[schema(minimum = 1, maximum = 4, examples(1))]
    pub decks: i32,
    /// Suits of a pack: 4, or 2 (hearts and spades).
    #[schema(minimum = 2, maximum = 4, examples(4))]
    pub suits: i32,
    /// Jokers in each pack.
    #[schema(minimum = 0, maximum = 2, examples(2))]
    pub jokers: i32,
    /// Cards dealt to each player.
    #[schema(minimum = 3, maximum = 7, examples(5))]
    pub hand_size: i32,
    /// Order of play: `clockwise`, `counterclockwise`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("clockwise"))]
    pub direction: String,
    /// An ace may also end a run above a king.
    pub ace_high: bool,
    /// A joker stands for any card of a run.
    pub jokers_in_runs: bool,
    /// A joker may join a set that has a natural card.
    pub jokers_in_sets: bool,
    /// Jokers alone may be thrown together.
    pub joker_pair: bool,
    /// Natural cards that a run needs at least.
    #[schema(minimum = 1, maximum = 2, examples(1))]
    pub min_naturals: i32,
    /// What can be picked up from the pile: `ends`, `ends_of_runs`, `any`, `top`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("ends"))]
    pub pickup: String,
    /// Turns that everybody must have had in the round before anyone may call.
    #[schema(minimum = 0, maximum = 5, examples(0))]
    pub min_turns: i32,
    /// Added to the caller's score for a word that is not the first.
    #[schema(minimum = 0, maximum = 100, examples(0))]
    pub word_penalty: i32,
    /// A call with more points than the limit: `reject`, `penalty`, `eliminate`, `draw_three`, `swap`, `ignore`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("reject"))]
    pub over_limit: String,
    /// A call when it is not one's turn: `reject`, `penalty`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("reject"))]
    pub out_of_turn: String,
    /// What follows a call: `reveal`, `final_turn`, `challenge`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("reveal"))]
    pub response: String,
    /// Added to the score of a failed call.
    #[schema(minimum = 0, maximum = 100, examples(30))]
    pub wrong_call_penalty: i32,
    /// Added for each player beyond the first who defeats the caller.
    #[schema(minimum = 0, maximum = 100, examples(0))]
    pub extra_penalty: i32,
    /// What the others score after a failed call: `hand`, `none`, `above_caller`, `lowest_zero`, `first_lowest_zero`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("hand"))]
    pub wrong_call_others: String,
    /// An equal hand defeats the caller.
    pub tie_is_wrong: bool,
    /// Who has more than this total is out.
    #[schema(minimum = 10, maximum = 1000, examples(200))]
    pub elimination: i32,
    /// `over`: out above the total; `reached`: out at it already.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("over"))]
    pub elimination_at: String,
    /// `last_standing`: until one player is left; `first_elimination`: until somebody goes out.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("last_standing"))]
    pub end: String,
    /// When everybody left goes out at once: `lowest_wins`, `replay`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("lowest_wins"))]
    pub all_out: String,
    /// Who starts after a tie for the lowest hand: `left_of_caller`, `left_of_dealer`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("left_of_caller"))]
    pub tie_starter: String,
    /// When a card just drawn may follow the discard: `off`, `any`, `stock`, `stock_sets`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("off"))]
    pub slam_down: String,
    /// Others may ask for a card that the player to act could pick up.
    pub card_requests: bool,
    /// From this number of players on, two packs are used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 2, maximum = 10, examples(5))]
    pub second_deck_at: Option<i32>,
    /// What cards are worth.
    pub points: PointsBody,
    /// What the one-eyed jacks, JH and JS, count instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(0))]
    pub one_eyed_jacks: Option<i32>,
    /// Most points to call with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 200, examples(5))]
    pub call_limit: Option<i32>,
    /// There is no limit to call with.
    pub call_limit_off: bool,
    /// Words a caller may say; the first is the right one.
    #[schema(min_items = 1, max_items = 4, examples("yaniv"))]
    pub call_words: Vec<String>,
    /// Totals that, when hit exactly, are replaced.
    #[schema(max_items = 20)]
    pub reductions: Vec<ReductionBody>,
    /// Deducted at every so many successful calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub bonus: Option<BonusBody>,
    /// The lowest total wins after so many rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 100, examples(10))]
    pub max_rounds: Option<i32>,
}

/// What cards are worth that do not count their number.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Points)]
pub struct PointsBody {
    /// An ace.
    #[schema(minimum = 0, maximum = 20, examples(1))]
    pub ace: i32,
    /// A jack.
    #[schema(minimum = 0, maximum = 20, examples(10))]
    pub jack: i32,
    /// A queen.
    #[schema(minimum = 0, maximum = 20, examples(10))]
    pub queen: i32,
    /// A king.
    #[schema(minimum = 0, maximum = 20, examples(10))]
    pub king: i32,
    /// A joker.
    #[schema(minimum = 0, maximum = 20, examples(0))]
    pub joker: i32,
}

/// A total that, when hit exactly, is replaced.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Reduction)]
pub struct ReductionBody {
    /// The total that is hit.
    #[schema(minimum = 0, maximum = 1000, examples(100))]
    pub at: i32,
    /// The total that replaces it.
    #[schema(minimum = 0, maximum = 1000, examples(50))]
    pub to: i32,
}

/// A bonus for successful calls.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Bonus)]
pub struct BonusBody {
    /// At every so many successful calls …
    #[schema(minimum = 1, maximum = 10, examples(3))]
    pub every: i32,
    /// … so many points are deducted.
    #[schema(minimum = 1, maximum = 100, examples(20))]
    pub points: i32,
}

impl From<&RuleOptions> for RuleSetBody {
    fn from(options: &RuleOptions) -> Self {
        Self {
            decks: options.decks.into(),
            suits: options.suits.into(),
            jokers: options.jokers.into(),
            hand_size: options.hand_size.into(),
            direction: options.direction.to_string(),
            ace_high: options.ace_high,
            jokers_in_runs: options.jokers_in_runs,
            jokers_in_sets: options.jokers_in_sets,
            joker_pair: options.joker_pair,
            min_naturals: options.min_naturals.into(),
            pickup: options.pickup.to_string(),
            min_turns: options.min_turns.into(),
            word_penalty: options.word_penalty.into(),
            over_limit: options.over_limit.to_string(),
            out_of_turn: options.out_of_turn.to_string(),
            response: options.response.to_string(),
            wrong_call_penalty: options.wrong_call_penalty.into(),
            extra_penalty: options.extra_penalty.into(),
            wrong_call_others: options.wrong_call_others.to_string(),
            tie_is_wrong: options.tie_is_wrong,
            elimination: options.elimination.into(),
            elimination_at: options.elimination_at.to_string(),
            end: options.end.to_string(),
            all_out: options.all_out.to_string(),
            tie_starter: options.tie_starter.to_string(),
            slam_down: options.slam_down.to_string(),
            card_requests: options.card_requests,
            second_deck_at: options.second_deck_at.map(i32::from),
            points: PointsBody {
                ace: options.points.ace.into(),
                jack: options.points.jack.into(),
                queen: options.points.queen.into(),
                king: options.points.king.into(),
                joker: options.points.joker.into(),
            },
            one_eyed_jacks: options.one_eyed_jacks.map(i32::from),
            call_limit: options.call_limit.map(i32::from),
            call_limit_off: options.call_limit.is_none(),
            call_words: options.call_words.clone(),
            reductions: options
                .reductions
                .iter()
                .map(|reduction| ReductionBody { at: reduction.at.into(), to: reduction.to.into() })
                .collect(),
            bonus: options
                .bonus
                .map(|bonus| BonusBody { every: bonus.every.into(), points: bonus.points.into() }),
            max_rounds: options.max_rounds.map(i32::from),
        }
    }
}
