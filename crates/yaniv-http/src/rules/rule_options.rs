//! From the rule set that a request asks for to the options of the engine.

use yaniv_engine::{BadRules, Bonus, Points, Preset, Reduction, RuleOptions};

use crate::match_view::rule_set_body::ReductionBody;
use crate::rules::rule_request::{PointsRequest, RuleSetRequest};

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
