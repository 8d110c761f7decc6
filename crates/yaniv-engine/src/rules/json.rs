//! The JSON form of a rule set (rules §3 and §12): a preset's name, or a preset with overrides. Over HTTP
//! other forms may be used; this is the one of files, records and the command line.

use serde::{Deserialize, Deserializer, Serializer};
use serde_json::{Map, Value};

use crate::error::BadRules;
use crate::rules::options::{Bonus, Reduction, RuleOptions};
use crate::rules::preset::Preset;
use crate::rules::rule_set::Rules;

/// Reads `"yaniv"` or `{"preset":"yaniv","slam_down":"any"}`; without `preset` the defaults hold.
///
/// # Errors
/// An unknown preset, option or value, and a broken bound, each with the option's name.
pub fn rules_from_json(value: &Value) -> Result<Rules, BadRules> {
    Rules::new(options_from_json(value)?)
}

/// As [`rules_from_json`], without the check of the bounds.
pub(crate) fn options_from_json(value: &Value) -> Result<RuleOptions, BadRules> {
    match value {
        Value::String(name) => Ok(preset(name)?.options()),
        Value::Object(map) => {
            let mut options = match map.get("preset") {
                None => RuleOptions::default(),
                Some(Value::String(name)) => preset(name)?.options(),
                Some(_) => return Err(BadRules::new("preset", "must be a name")),
            };
            for (name, value) in map.iter().filter(|(name, _)| *name != "preset") {
                set(&mut options, name, value)?;
            }
            Ok(options)
        }
        _ => Err(BadRules::new("rules", "must be the name of a preset or an object")),
    }
}

/// Writes reductions as `{"100":50}`.
pub(crate) fn serialize_reductions<S: Serializer>(
    list: &[Reduction],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(list.iter().map(|one| (one.at.to_string(), one.to)))
}

impl<'de> Deserialize<'de> for RuleOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleOptions, D::Error> {
        let value = Value::deserialize(deserializer)?;
        options_from_json(&value).map_err(serde::de::Error::custom)
    }
}

fn preset(name: &str) -> Result<Preset, BadRules> {
    name.parse().map_err(|_| BadRules::new("preset", format!("there is no preset {name:?}")))
}

fn set(options: &mut RuleOptions, name: &str, value: &Value) -> Result<(), BadRules> {
    let field = Field { name, value };
    match name {
        "decks" => options.decks = field.number()?,
        "second_deck_at" => options.second_deck_at = field.nullable(Field::number)?,
        "suits" => options.suits = field.number()?,
        "jokers" => options.jokers = field.number()?,
        "hand_size" => options.hand_size = field.number()?,
        "direction" => options.direction = field.choice()?,
        "points" => set_points(options, &field)?,
        "one_eyed_jacks" => options.one_eyed_jacks = field.nullable(Field::number)?,
        "ace_high" => options.ace_high = field.flag()?,
        "jokers_in_runs" => options.jokers_in_runs = field.flag()?,
        "jokers_in_sets" => options.jokers_in_sets = field.flag()?,
        "joker_pair" => options.joker_pair = field.flag()?,
        "min_naturals" => options.min_naturals = field.number()?,
        "pickup" => options.pickup = field.choice()?,
        "call_limit" => options.call_limit = field.nullable(Field::number)?,
        "min_turns" => options.min_turns = field.number()?,
        "call_words" => options.call_words = words(&field)?,
        "word_penalty" => options.word_penalty = field.number()?,
        "over_limit" => options.over_limit = field.choice()?,
        "out_of_turn" => options.out_of_turn = field.choice()?,
        "response" => options.response = field.choice()?,
        "wrong_call_penalty" => options.wrong_call_penalty = field.number()?,
        "extra_penalty" => options.extra_penalty = field.number()?,
        "wrong_call_others" => options.wrong_call_others = field.choice()?,
        "tie_is_wrong" => options.tie_is_wrong = field.flag()?,
        "reductions" => options.reductions = reductions(&field)?,
        "bonus" => options.bonus = field.nullable(bonus)?,
        "elimination" => options.elimination = field.number()?,
        "elimination_at" => options.elimination_at = field.choice()?,
        "end" => options.end = field.choice()?,
        "max_rounds" => options.max_rounds = field.nullable(Field::number)?,
        "all_out" => options.all_out = field.choice()?,
        "tie_starter" => options.tie_starter = field.choice()?,
        "slam_down" => options.slam_down = field.choice()?,
        "card_requests" => options.card_requests = field.flag()?,
        _ => return Err(field.error("there is no such option")),
    }
    Ok(())
}

fn set_points(options: &mut RuleOptions, field: &Field<'_>) -> Result<(), BadRules> {
    for (name, value) in field.object()? {
        let one = Field { name: field.name, value };
        match name.as_str() {
            "ace" => options.points.ace = one.number()?,
            "jack" => options.points.jack = one.number()?,
            "queen" => options.points.queen = one.number()?,
            "king" => options.points.king = one.number()?,
            "joker" => options.points.joker = one.number()?,
            _ => return Err(field.error("only ace, jack, queen, king and joker can be given")),
        }
    }
    Ok(())
}

fn words(field: &Field<'_>) -> Result<Vec<String>, BadRules> {
    let wrong = || field.error("must be a list of words");
    let list = field.value.as_array().ok_or_else(wrong)?;
    list.iter().map(|word| word.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn reductions(field: &Field<'_>) -> Result<Vec<Reduction>, BadRules> {
    let mut list = Vec::new();
    for (at, value) in field.object()? {
        let number = at.parse::<u16>().ok().filter(|number| number.to_string() == *at);
        let at = number.ok_or_else(|| field.error("totals must be whole numbers of 0 to 1000"))?;
        list.push(Reduction { at, to: Field { name: field.name, value }.number()? });
    }
    list.sort_by_key(|one| one.at);
    Ok(list)
}

fn bonus(field: &Field<'_>) -> Result<Bonus, BadRules> {
    let map = field.object()?;
    let get = |name| map.get(name).ok_or_else(|| field.error("must have every and points, nothing else"));
    let bonus = Bonus {
        every: Field { name: field.name, value: get("every")? }.number()?,
        points: Field { name: field.name, value: get("points")? }.number()?,
    };
    if map.len() == 2 { Ok(bonus) } else { Err(field.error("must have every and points, nothing else")) }
}

/// A value with the name of its option, for the errors.
struct Field<'a> {
    name: &'a str,
    value: &'a Value,
}

impl<'a> Field<'a> {
    fn error(&self, detail: &str) -> BadRules {
        BadRules::new(self.name, detail)
    }

    fn number<T: TryFrom<u64>>(&self) -> Result<T, BadRules> {
        let number = self.value.as_u64().and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| self.error("must be a whole number within the bounds"))
    }

    fn flag(&self) -> Result<bool, BadRules> {
        self.value.as_bool().ok_or_else(|| self.error("must be true or false"))
    }

    fn choice<T: std::str::FromStr<Err = crate::error::BadNotation>>(&self) -> Result<T, BadRules> {
        let text = self.value.as_str().ok_or_else(|| self.error("must be a name"))?;
        text.parse().map_err(|error: crate::error::BadNotation| self.error(error.detail()))
    }

    fn object(&self) -> Result<&'a Map<String, Value>, BadRules> {
        self.value.as_object().ok_or_else(|| self.error("must be an object"))
    }

    fn nullable<T>(&self, read: impl Fn(&Field<'a>) -> Result<T, BadRules>) -> Result<Option<T>, BadRules> {
        if self.value.is_null() { Ok(None) } else { read(self).map(Some) }
    }
}
