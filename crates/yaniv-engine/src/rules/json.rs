//! The JSON form of a rule set (rules §3 and §12): a preset's name, or a preset with overrides. It is used in files,
//! records and on the command line; the HTTP API has other forms.

use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::BadRules;
use crate::rules::options::{Bonus, Points, Reduction, RuleOptions};
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
            for (name, value) in map.iter().filter(|(name, _)| *name != "preset") {
                set(&mut options, name, value)?;
            }
            Ok(options)
        }
        _ => Err(BadRules::new("rules", "must be the name of a preset or an object")),
    }
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
