//! The JSON form of a rule set (rules §3 and §12): a preset's name, or a preset with overrides.
//!
//! There are two spellings of it, and both are read. Records have nulls, and totals as keys. The API and `yaniv rules`
//! have neither: an option that is off is left out, with a switch where a preset has the option on.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value, json};

use crate::error::BadRules;
use crate::rules::options::{Bonus, Points, Reduction, RuleOptions, can_be_off, off_switch};
use crate::rules::preset::Preset;
use crate::rules::rule_set::Rules;

/// Reads `"yaniv"` or `{"preset":"yaniv","slam_down":"any"}`; the default preset is `yaniv`.
///
/// # Errors
/// An unknown preset, option or value, or a value out of bounds; the error names the option.
pub fn rules_from_json(value: &Value) -> Result<Rules, BadRules> {
    Rules::new(options_from_json(value)?)
}

/// As [`rules_from_json`], without checking bounds.
pub(crate) fn options_from_json(value: &Value) -> Result<RuleOptions, BadRules> {
    match value {
        Value::String(name) => Ok(preset(name)?.options()),
        Value::Object(map) => {
            let mut options = match map.get("preset") {
                None => RuleOptions::default(),
                Some(Value::String(name)) => preset(name)?.options(),
                Some(_) => return Err(BadRules::new("preset", "must be a name")),
            };
            let is_option =
                |name: &str| name != "preset" && !SPELLINGS.iter().any(|one| one.switch == Some(name));
            for (name, value) in map.iter().filter(|(name, _)| is_option(name)) {
                set(&mut options, name, value)?;
            }
            switch_off(&mut options, map)?;
            Ok(options)
        }
        _ => Err(BadRules::new("rules", "must be the name of a preset or an object")),
    }
}

/// Turns off the options whose switch is true.
fn switch_off(options: &mut RuleOptions, map: &Map<String, Value>) -> Result<(), BadRules> {
    for Spelling { name, switch, .. } in SPELLINGS {
        let Some(value) = switch.and_then(|switch| map.get(switch)) else { continue };
        if !(Field { name: switch.unwrap_or(name), value }).flag()? {
            continue;
        }
        if map.get(*name).is_some_and(|value| !value.is_null()) {
            return Err(BadRules::new(name, "is both given and switched off"));
        }
        set(options, name, &Value::Null)?;
    }
    Ok(())
}

/// Changes the rules of a record to the spelling of the API.
///
/// `"call_limit":null` becomes `"call_limit_off":true`, `"reductions":{"100":50}` becomes
/// `"reductions":[{"at":100,"to":50}]`. A record has all options; rules that have not stay as they are.
pub fn respell_rules(rules: &mut Map<String, Value>) {
    if !SPELLINGS.iter().all(|one| rules.contains_key(one.name)) {
        return;
    }
    for Spelling { name, can_be_off, switch } in SPELLINGS {
        if *can_be_off && rules.get(*name).is_some_and(Value::is_null) {
            rules.remove(*name);
            if let Some(switch) = switch {
                rules.insert((*switch).to_owned(), Value::Bool(true));
            }
        }
    }
    if let Some(Value::Object(map)) = rules.get("reductions") {
        let one = |(at, to): (&String, &Value)| Some(json!({"at": at.parse::<u16>().ok()?, "to": to}));
        if let Some(list) = map.iter().map(one).collect::<Option<Vec<Value>>>() {
            rules.insert("reductions".to_owned(), Value::Array(list));
        }
    }
}

/// How an option that can be off is spelled.
struct Spelling {
    name: &'static str,
    /// Whether it can be off; records then write null.
    can_be_off: bool,
    /// The field that turns it off where nulls are not allowed.
    switch: Option<&'static str>,
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

macro_rules! json_of_options {
    ($(
        $(#[doc = $doc:tt])+ $name:ident: $type:ty, $kind:ident $(($($args:tt)*))? = $default:expr;
    )+) => {
        const SPELLINGS: &[Spelling] = &[$(Spelling {
            name: stringify!($name),
            can_be_off: can_be_off!($kind),
            switch: off_switch!($kind $(($($args)*))?),
        }),+];

        fn set(options: &mut RuleOptions, name: &str, value: &Value) -> Result<(), BadRules> {
            let field = Field { name, value };
            match name {
                $(stringify!($name) => options.$name = read!(field, options.$name, $kind)?,)+
                _ => return Err(field.error("there is no such option")),
            }
            Ok(())
        }

        impl Serialize for RuleOptions {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let count = [$(stringify!($name)),+].len();
                let mut out = serializer.serialize_struct("RuleOptions", count)?;
                $(out.serialize_field(stringify!($name), written!(&self.$name, $kind))?;)+
                out.end()
            }
        }
    };
}

/// Reads an option by its kind; `$old` is its value so far.
macro_rules! read {
    ($field:ident, $old:expr, number) => {
        $field.number()
    };
    ($field:ident, $old:expr, either) => {
        $field.number()
    };
    ($field:ident, $old:expr, flag) => {
        $field.flag()
    };
    ($field:ident, $old:expr, choice) => {
        $field.choice()
    };
    ($field:ident, $old:expr, optional) => {
        $field.nullable(Field::number)
    };
    ($field:ident, $old:expr, points) => {
        points(&$field, $old)
    };
    ($field:ident, $old:expr, words) => {
        words(&$field)
    };
    ($field:ident, $old:expr, reductions) => {
        reductions(&$field)
    };
    ($field:ident, $old:expr, bonus) => {
        $field.nullable(bonus)
    };
}

/// The value of an option in the form in which it is written.
macro_rules! written {
    ($value:expr, reductions) => {
        &ReductionMap($value)
    };
    ($value:expr, $kind:ident) => {
        $value
    };
}

crate::rule_options!(json_of_options);

/// Written as `{"100":50}`.
struct ReductionMap<'a>(&'a [Reduction]);

impl Serialize for ReductionMap<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|one| (one.at.to_string(), one.to)))
    }
}

/// Those left out stay as they are.
fn points(field: &Field<'_>, mut points: Points) -> Result<Points, BadRules> {
    for (name, value) in field.object()? {
        let one = Field { name: field.name, value };
        match name.as_str() {
            "ace" => points.ace = one.number()?,
            "jack" => points.jack = one.number()?,
            "queen" => points.queen = one.number()?,
            "king" => points.king = one.number()?,
            "joker" => points.joker = one.number()?,
            _ => return Err(field.error("only ace, jack, queen, king and joker can be given")),
        }
    }
    Ok(points)
}

fn words(field: &Field<'_>) -> Result<Vec<String>, BadRules> {
    let wrong = || field.error("must be a list of words");
    let list = field.value.as_array().ok_or_else(wrong)?;
    list.iter().map(|word| word.as_str().map(str::to_owned).ok_or_else(wrong)).collect()
}

fn reductions(field: &Field<'_>) -> Result<Vec<Reduction>, BadRules> {
    let mut list = match field.value {
        Value::Array(list) => {
            let one = |value| Field { name: field.name, value }.pair("at", "to");
            let read =
                |value| one(value).and_then(|(at, to)| Ok(Reduction { at: at.number()?, to: to.number()? }));
            list.iter().map(read).collect::<Result<Vec<_>, _>>()?
        }
        _ => reductions_by_total(field)?,
    };
    list.sort_by_key(|one| one.at);
    Ok(list)
}

/// As in records: `{"100":50}`.
fn reductions_by_total(field: &Field<'_>) -> Result<Vec<Reduction>, BadRules> {
    let one = |(at, value): (&String, &Value)| {
        let number = at.parse::<u16>().ok().filter(|number| number.to_string() == *at);
        let at = number.ok_or_else(|| field.error("totals must be whole numbers of 0 to 1000"))?;
        Ok(Reduction { at, to: Field { name: field.name, value }.number()? })
    };
    field.object()?.iter().map(one).collect()
}

fn bonus(field: &Field<'_>) -> Result<Bonus, BadRules> {
    let (every, points) = field.pair("every", "points")?;
    Ok(Bonus { every: every.number()?, points: points.number()? })
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

    /// The two members of an object, which has no other.
    fn pair(&self, one: &str, other: &str) -> Result<(Field<'a>, Field<'a>), BadRules> {
        let map = self.object()?;
        let field = |name| map.get(name).map(|value| Field { name: self.name, value });
        let pair = field(one).zip(field(other)).filter(|_| map.len() == 2);
        pair.ok_or_else(|| self.error(&format!("must have {one} and {other}, nothing else")))
    }

    fn nullable<T>(&self, read: impl Fn(&Field<'a>) -> Result<T, BadRules>) -> Result<Option<T>, BadRules> {
        if self.value.is_null() { Ok(None) } else { read(self).map(Some) }
    }
}
