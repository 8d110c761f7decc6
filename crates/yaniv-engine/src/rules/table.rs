//! The table of rule options (rules §3): one row an option. Struct, defaults, bounds, JSON form and the bodies
//! of the HTTP API are derived from it.

/// Calls the macro `$callback` with the rows of the table of rule options, in the order of rules §3.
///
/// A row is `/// what it does`, then `name: type, kind = default;`. Kinds:
///
/// - `number(min..=max)`; `either(low, high)`: one of two numbers;
/// - `flag`: true or false;
/// - `choice`: one of the named values of the type (`choices.rs`), which has the default first;
/// - `optional(min..=max, examples(body, request))`: a number, or absent. The API has no null: `request name "text"`
///   adds a switch to the request that turns the option off, `body name "text"` a field to the printed rule set that
///   tells whether it is off;
/// - `points`, `words`, `reductions`, `bonus`: structured values, for one option each.
///
/// A callback matches `$(#[doc = $doc:tt])+ $name:ident: $type:ty, $kind:ident $(($($args:tt)*))? = $default:expr;`.
#[macro_export]
macro_rules! rule_options {
    ($callback:ident) => {
        $callback! {
            /// Packs shuffled together.
            decks: u8, number(1..=4) = 1;
            /// From this number of players on, two packs are used.
            second_deck_at: Option<u8>, optional(2..=10, examples(5, 5),
                request second_deck_off
                    "`true`: the number of packs does not depend on the number of players, whatever the preset says. Not together with `second_deck_at`."
            ) = None;
            /// Suits of a pack: 4, or 2 (hearts and spades).
            suits: u8, either(2, 4) = 4;
            /// Jokers in each pack.
            jokers: u8, number(0..=2) = 2;
            /// Cards dealt to each player.
            hand_size: u8, number(3..=7) = 5;
            /// Order of play: `clockwise`, `counterclockwise`.
            direction: Direction, choice = Direction::Clockwise;
            /// What cards are worth.
            points: Points, points = Points { ace: 1, jack: 10, queen: 10, king: 10, joker: 0 };
            /// Points of the one-eyed jacks, JH and JS, instead of those of a jack.
            one_eyed_jacks: Option<u8>, optional(0..=20, examples(0, 0)) = None;
            /// An ace may also end a run above a king.
            ace_high: bool, flag = false;
            /// A joker stands for any card of a run.
            jokers_in_runs: bool, flag = true;
            /// A joker may join a set that has a natural card.
            jokers_in_sets: bool, flag = false;
            /// Jokers alone may be thrown together.
            joker_pair: bool, flag = true;
            /// Least number of cards of a run that are no jokers.
            min_naturals: u8, number(1..=2) = 1;
            /// What can be picked up from the pile: `ends`, `ends_of_runs`, `any`, `top`.
            pickup: Pickup, choice = Pickup::Ends;
            /// Most points that a call may have.
            call_limit: Option<u16>, optional(0..=200, examples(5, 7),
                request call_limit_off "`true`: a call may have any number of points, whatever the preset says. Not together with `call_limit`.",
                body call_limit_off "A call may have any number of points: `call_limit` is left out."
            ) = Some(5);
            /// Turns that each player must have had in the round before a player may call.
            min_turns: u8, number(0..=5) = 0;
            /// Words that a caller may say; the first is the right one.
            call_words: Vec<String>, words = vec!["yaniv".to_owned()];
            /// Added to the caller's score for a word that is not the first.
            word_penalty: u8, number(0..=100) = 0;
            /// A call with more points than the limit: `reject`, `penalty`, `eliminate`, `draw_three`, `swap`, `ignore`.
            over_limit: OverLimit, choice = OverLimit::Reject;
            /// A call out of turn: `reject`, `penalty`.
            out_of_turn: OutOfTurn, choice = OutOfTurn::Reject;
            /// What follows a call: `reveal`, `final_turn`, `challenge`.
            response: Response, choice = Response::Reveal;
            /// Added to the score of a failed call.
            wrong_call_penalty: u8, number(0..=100) = 30;
            /// Added for each player beyond the first who defeats the caller.
            extra_penalty: u8, number(0..=100) = 0;
            /// What the others score after a failed call: `hand`, `none`, `above_caller`, `lowest_zero`, `first_lowest_zero`.
            wrong_call_others: WrongCallOthers, choice = WrongCallOthers::Hand;
            /// An equal hand defeats the caller.
            tie_is_wrong: bool, flag = true;
            /// Totals that are replaced when they are hit exactly.
            reductions: Vec<Reduction>, reductions =
                vec![Reduction { at: 100, to: 50 }, Reduction { at: 200, to: 100 }];
            /// Points deducted for successful calls, each time a number of them is reached.
            bonus: Option<Bonus>, bonus = None;
            /// A player with a total above this is out.
            elimination: u16, number(10..=1000) = 200;
            /// `over`: out above the total; `reached`: out at it already.
            elimination_at: EliminationAt, choice = EliminationAt::Over;
            /// `last_standing`: until one player is left; `first_elimination`: until a player goes out.
            end: End, choice = End::LastStanding;
            /// Number of rounds after which the lowest total wins.
            max_rounds: Option<u8>, optional(1..=100, examples(10, 10)) = None;
            /// If all remaining players go out in one round: `lowest_wins`, `replay`.
            all_out: AllOut, choice = AllOut::LowestWins;
            /// The starter after a tie for the lowest hand: `left_of_caller`, `left_of_dealer`.
            tie_starter: TieStarter, choice = TieStarter::LeftOfCaller;
            /// When a card just drawn may follow the discard: `off`, `any`, `stock`, `stock_sets`.
            slam_down: SlamDown, choice = SlamDown::Off;
            /// Others may ask for a card that the player to act could pick up.
            card_requests: bool, flag = false;
        }
    };
}
