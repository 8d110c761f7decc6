//! The options of a rule set as plain data (rules §3). Nothing here is checked: [`Rules`](crate::Rules) is
//! the checked form. The choices among named values are in `choices.rs`, the named sets in `preset.rs`.

use crate::rules::choices::{
    AllOut, Direction, EliminationAt, End, OutOfTurn, OverLimit, Pickup, Response, SlamDown, TieStarter,
    WrongCallOthers,
};

/// What the cards that do not count their number are worth, each 0 to 20 points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Points {
    /// An ace.
    pub ace: u8,
    /// A jack, unless `one_eyed_jacks` says otherwise.
    pub jack: u8,
    /// A queen.
    pub queen: u8,
    /// A king.
    pub king: u8,
    /// A joker.
    pub joker: u8,
}

/// A total that is replaced when it is hit exactly; both 0 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// The total that is hit.
    pub at: u16,
    /// What it becomes.
    pub to: u16,
}

/// A deduction for successful calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bonus {
    /// After how many successes, 1 to 10.
    pub every: u8,
    /// How many points, 1 to 100.
    pub points: u8,
}

/// Every option of rules §3, in the order of its table. `Default` has the defaults, which are the preset
/// `yaniv`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RuleOptions {
    /// Packs shuffled together, 1 to 4.
    pub decks: u8,
    /// From how many players at the start on there are at least two packs, 2 to 10.
    pub second_deck_at: Option<u8>,
    /// 4, or 2 for the half pack (hearts and spades).
    pub suits: u8,
    /// Jokers in each pack, 0 to 2.
    pub jokers: u8,
    /// Cards dealt to each player, 3 to 7.
    pub hand_size: u8,
    /// The order of play.
    pub direction: Direction,
    /// What the cards are worth.
    pub points: Points,
    /// What JH and JS count instead, 0 to 20.
    pub one_eyed_jacks: Option<u8>,
    /// May an ace also end a run above a king?
    pub ace_high: bool,
    /// May a joker stand for a card of a run?
    pub jokers_in_runs: bool,
    /// May a joker join a set that has a natural card?
    pub jokers_in_sets: bool,
    /// May jokers alone be thrown together?
    pub joker_pair: bool,
    /// Natural cards that a run needs at least, 1 or 2.
    pub min_naturals: u8,
    /// What can be picked up.
    pub pickup: Pickup,
    /// Most points to call with, 0 to 200; `None`: no limit.
    pub call_limit: Option<u16>,
    /// Turns that everyone must have had before a call, 0 to 5.
    pub min_turns: u8,
    /// One to four words a caller may say, each 1 to 16 letters a–z; the first is the right one.
    pub call_words: Vec<String>,
    /// Added to the caller's score for another word, 0 to 100.
    pub word_penalty: u8,
    /// A call over the limit.
    pub over_limit: OverLimit,
    /// A call out of turn.
    pub out_of_turn: OutOfTurn,
    /// What follows a call.
    pub response: Response,
    /// Added to the score of a failed call, 0 to 100.
    pub wrong_call_penalty: u8,
    /// More for each player beyond the first who defeats the caller, 0 to 100.
    pub extra_penalty: u8,
    /// What the others score after a failed call.
    pub wrong_call_others: WrongCallOthers,
    /// Does an equal hand defeat the caller?
    pub tie_is_wrong: bool,
    /// Totals that are replaced, at most 20, increasing by `at` without repetition.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::rules::json::serialize_reductions"))]
    pub reductions: Vec<Reduction>,
    /// The bonus for successful calls.
    pub bonus: Option<Bonus>,
    /// Out beyond this total, 10 to 1000.
    pub elimination: u16,
    /// Out beyond it, or at it already.
    pub elimination_at: EliminationAt,
    /// What ends the match.
    pub end: End,
    /// The lowest total wins after so many rounds, 1 to 100.
    pub max_rounds: Option<u8>,
    /// Everybody left goes out at once.
    pub all_out: AllOut,
    /// Who starts after a tie for the lowest hand.
    pub tie_starter: TieStarter,
    /// When a slam-down is possible.
    pub slam_down: SlamDown,
    /// May the others ask for a card that the player could pick up?
    pub card_requests: bool,
}

impl Default for RuleOptions {
    fn default() -> RuleOptions {
        RuleOptions {
            decks: 1,
            second_deck_at: None,
            suits: 4,
            jokers: 2,
            hand_size: 5,
            direction: Direction::Clockwise,
            points: Points { ace: 1, jack: 10, queen: 10, king: 10, joker: 0 },
            one_eyed_jacks: None,
            ace_high: false,
            jokers_in_runs: true,
            jokers_in_sets: false,
            joker_pair: true,
            min_naturals: 1,
            pickup: Pickup::Ends,
            call_limit: Some(5),
            min_turns: 0,
            call_words: vec!["yaniv".to_owned()],
            word_penalty: 0,
            over_limit: OverLimit::Reject,
            out_of_turn: OutOfTurn::Reject,
            response: Response::Reveal,
            wrong_call_penalty: 30,
            extra_penalty: 0,
            wrong_call_others: WrongCallOthers::Hand,
            tie_is_wrong: true,
            reductions: vec![Reduction { at: 100, to: 50 }, Reduction { at: 200, to: 100 }],
            bonus: None,
            elimination: 200,
            elimination_at: EliminationAt::Over,
            end: End::LastStanding,
            max_rounds: None,
            all_out: AllOut::LowestWins,
            tie_starter: TieStarter::LeftOfCaller,
            slam_down: SlamDown::Off,
            card_requests: false,
        }
    }
}
