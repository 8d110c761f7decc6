//! From the rule set that a request asks for to the options of the engine.

use std::str::FromStr;

use yaniv_engine::{BadRules, Bonus, Points, Preset, Reduction, RuleOptions};

use crate::match_view::rule_set_body::{BonusBody, ReductionBody};
use crate::rules::rule_request::{PointsRequest, RuleSetRequest, choices, put_all};

impl RuleSetRequest {
    /// The complete options, not yet checked against each other.
    ///
    /// # Errors
    /// If a value is none that its option can have.
    pub fn options(&self) -> Result<RuleOptions, BadRules> {
        let preset = match &self.0.preset {
            None => Preset::Yaniv,
            Some(name) => name.parse().map_err(|_| bad("preset", one_of("preset")))?,
        };
        let mut options = preset.options();
        put_all(&self.0, &mut options)?;
        Ok(options)
    }
}

fn bad(option: &str, detail: String) -> BadRules {
    BadRules { option: option.to_owned(), detail }
}

fn one_of(field: &str) -> String {
    format!("must be one of {}", choices(field).join(", "))
}

fn number<T: TryFrom<i32>>(option: &str, value: i32) -> Result<T, BadRules> {
    T::try_from(value).map_err(|_| bad(option, format!("{value} is out of bounds")))
}

/// A number that can be given or switched off, not both.
pub(super) fn check_not_both(option: &str, value: Option<i32>, off: Option<bool>) -> Result<(), BadRules> {
    match (value, off) {
        (Some(_), Some(true)) => Err(bad(option, "is both given and switched off".to_owned())),
        _ => Ok(()),
    }
}

// One function for each kind of option: a value that is given replaces the one in `place`.

pub(super) fn put_number<T: TryFrom<i32>>(
    option: &str,
    value: Option<&i32>,
    place: &mut T,
) -> Result<(), BadRules> {
    if let Some(value) = value {
        *place = number(option, *value)?;
    }
    Ok(())
}

pub(super) fn put_optional<T: TryFrom<i32>>(
    option: &str,
    value: Option<&i32>,
    place: &mut Option<T>,
) -> Result<(), BadRules> {
    if let Some(value) = value {
        *place = Some(number(option, *value)?);
    }
    Ok(())
}

pub(super) fn put_flag(_: &str, value: Option<&bool>, place: &mut bool) -> Result<(), BadRules> {
    *place = value.copied().unwrap_or(*place);
    Ok(())
}

pub(super) fn put_name<T: FromStr>(
    option: &str,
    value: Option<&String>,
    place: &mut T,
) -> Result<(), BadRules> {
    if let Some(value) = value {
        *place = value.parse().map_err(|_| bad(option, one_of(option)))?;
    }
    Ok(())
}

/// Those left out stay as they are.
pub(super) fn put_points(
    option: &str,
    value: Option<&PointsRequest>,
    place: &mut Points,
) -> Result<(), BadRules> {
    let Some(points) = value else { return Ok(()) };
    put_number(option, points.ace.as_ref(), &mut place.ace)?;
    put_number(option, points.jack.as_ref(), &mut place.jack)?;
    put_number(option, points.queen.as_ref(), &mut place.queen)?;
    put_number(option, points.king.as_ref(), &mut place.king)?;
    put_number(option, points.joker.as_ref(), &mut place.joker)
}

pub(super) fn put_words(
    _: &str,
    value: Option<&Vec<String>>,
    place: &mut Vec<String>,
) -> Result<(), BadRules> {
    if let Some(words) = value {
        place.clone_from(words);
    }
    Ok(())
}

/// In any order.
pub(super) fn put_reductions(
    option: &str,
    value: Option<&Vec<ReductionBody>>,
    place: &mut Vec<Reduction>,
) -> Result<(), BadRules> {
    let Some(reductions) = value else { return Ok(()) };
    let read = |body: &ReductionBody| -> Result<Reduction, BadRules> {
        Ok(Reduction { at: number(option, body.at)?, to: number(option, body.to)? })
    };
    *place = reductions.iter().map(read).collect::<Result<_, _>>()?;
    place.sort_by_key(|reduction| reduction.at);
    Ok(())
}

/// The API has no way to switch a bonus off.
pub(super) fn put_bonus(
    option: &str,
    value: Option<&BonusBody>,
    place: &mut Option<Bonus>,
) -> Result<(), BadRules> {
    if let Some(bonus) = value {
        *place = Some(Bonus { every: number(option, bonus.every)?, points: number(option, bonus.points)? });
    }
    Ok(())
}
