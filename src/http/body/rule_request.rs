//! The rule set that is wanted of a new match: a preset and what differs from it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_engine::{BadRules, Bonus, Points, Preset, Reduction, RuleOptions};

use super::rule_set_body::{BonusBody, ReductionBody};

/// A preset and what differs from it. An option that is left out is that of the preset; without a preset, `yaniv`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RuleSetRequest, examples(json!({"preset": "yaniv", "elimination": 100, "reductions": []})))]
pub struct RuleSetRequest {
    /// Named rule set to begin with: `yaniv`, `yaniv_wikipedia`, `jhyap`, `dhumbal`, `dhumbal_jokers`, `speedy`.
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
    #[schema(nullable = false, min_items = 1, max_items = 4, examples(json!(["yaniv"])))]
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

impl RuleSetRequest {
    /// The complete options, not yet checked against each other.
    ///
    /// # Errors
    /// If a value is none that its option can have.
    pub fn options(&self) -> Result<RuleOptions, BadRules> {
        let preset = match &self.preset {
            None => Preset::Yaniv,
            Some(name) => name.parse().map_err(|_| bad("preset", format!("there is no preset {name:?}")))?,
        };
        let mut options = preset.options();
        self.put_plain(&mut options)?;
        self.put_named(&mut options)?;
        self.put_switched(&mut options)?;
        Ok(options)
    }

    fn put_plain(&self, options: &mut RuleOptions) -> Result<(), BadRules> {
        put("decks", self.decks, &mut options.decks)?;
        put("suits", self.suits, &mut options.suits)?;
        put("jokers", self.jokers, &mut options.jokers)?;
        put("hand_size", self.hand_size, &mut options.hand_size)?;
        options.ace_high = self.ace_high.unwrap_or(options.ace_high);
        options.jokers_in_runs = self.jokers_in_runs.unwrap_or(options.jokers_in_runs);
        options.jokers_in_sets = self.jokers_in_sets.unwrap_or(options.jokers_in_sets);
        options.joker_pair = self.joker_pair.unwrap_or(options.joker_pair);
        put("min_naturals", self.min_naturals, &mut options.min_naturals)?;
        put("min_turns", self.min_turns, &mut options.min_turns)?;
        put("word_penalty", self.word_penalty, &mut options.word_penalty)?;
        put("wrong_call_penalty", self.wrong_call_penalty, &mut options.wrong_call_penalty)?;
        put("extra_penalty", self.extra_penalty, &mut options.extra_penalty)?;
        options.tie_is_wrong = self.tie_is_wrong.unwrap_or(options.tie_is_wrong);
        put("elimination", self.elimination, &mut options.elimination)?;
        options.card_requests = self.card_requests.unwrap_or(options.card_requests);
        Ok(())
    }

    fn put_named(&self, options: &mut RuleOptions) -> Result<(), BadRules> {
        name("direction", self.direction.as_deref(), &mut options.direction)?;
        name("pickup", self.pickup.as_deref(), &mut options.pickup)?;
        name("over_limit", self.over_limit.as_deref(), &mut options.over_limit)?;
        name("out_of_turn", self.out_of_turn.as_deref(), &mut options.out_of_turn)?;
        name("response", self.response.as_deref(), &mut options.response)?;
        name("wrong_call_others", self.wrong_call_others.as_deref(), &mut options.wrong_call_others)?;
        name("elimination_at", self.elimination_at.as_deref(), &mut options.elimination_at)?;
        name("end", self.end.as_deref(), &mut options.end)?;
        name("all_out", self.all_out.as_deref(), &mut options.all_out)?;
        name("tie_starter", self.tie_starter.as_deref(), &mut options.tie_starter)?;
        name("slam_down", self.slam_down.as_deref(), &mut options.slam_down)?;
        if let Some(words) = &self.call_words {
            options.call_words.clone_from(words);
        }
        Ok(())
    }

    fn put_switched(&self, options: &mut RuleOptions) -> Result<(), BadRules> {
        let off = |switch: Option<bool>| switch == Some(true);
        switch(
            "second_deck_at",
            self.second_deck_at,
            off(self.second_deck_off),
            &mut options.second_deck_at,
        )?;
        switch("call_limit", self.call_limit, off(self.call_limit_off), &mut options.call_limit)?;
        switch("one_eyed_jacks", self.one_eyed_jacks, false, &mut options.one_eyed_jacks)?;
        switch("max_rounds", self.max_rounds, false, &mut options.max_rounds)?;
        if let Some(points) = &self.points {
            put_points(points, &mut options.points)?;
        }
        if let Some(reductions) = &self.reductions {
            options.reductions = reductions.iter().map(reduction).collect::<Result<_, _>>()?;
            options.reductions.sort_by_key(|reduction| reduction.at);
        }
        if let Some(bonus) = &self.bonus {
            options.bonus =
                Some(Bonus { every: number("bonus", bonus.every)?, points: number("bonus", bonus.points)? });
        }
        Ok(())
    }
}

fn bad(option: &str, detail: String) -> BadRules {
    BadRules { option: option.to_owned(), detail }
}

fn number<T: TryFrom<i32>>(option: &str, value: i32) -> Result<T, BadRules> {
    T::try_from(value).map_err(|_| bad(option, format!("{value} is out of bounds")))
}

fn put<T: TryFrom<i32>>(option: &str, value: Option<i32>, place: &mut T) -> Result<(), BadRules> {
    if let Some(value) = value {
        *place = number(option, value)?;
    }
    Ok(())
}

fn name<T: std::str::FromStr>(option: &str, value: Option<&str>, place: &mut T) -> Result<(), BadRules> {
    if let Some(value) = value {
        *place = value.parse().map_err(|_| bad(option, format!("there is no value {value:?}")))?;
    }
    Ok(())
}

fn switch<T: TryFrom<i32>>(
    option: &str,
    value: Option<i32>,
    off: bool,
    place: &mut Option<T>,
) -> Result<(), BadRules> {
    match (value, off) {
        (Some(_), true) => return Err(bad(option, "is both given and switched off".to_owned())),
        (Some(value), false) => *place = Some(number(option, value)?),
        (None, true) => *place = None,
        (None, false) => {}
    }
    Ok(())
}

fn put_points(points: &PointsRequest, place: &mut Points) -> Result<(), BadRules> {
    put("points", points.ace, &mut place.ace)?;
    put("points", points.jack, &mut place.jack)?;
    put("points", points.queen, &mut place.queen)?;
    put("points", points.king, &mut place.king)?;
    put("points", points.joker, &mut place.joker)
}

fn reduction(body: &ReductionBody) -> Result<Reduction, BadRules> {
    Ok(Reduction { at: number("reductions", body.at)?, to: number("reductions", body.to)? })
}
