//! The forms of queries, by the types of their parameters.

use std::borrow::Cow;

use serde_json::{Map, Value};
use utoipa::IntoParams;
use utoipa::openapi::Required;
use utoipa::openapi::path::Parameter;

use crate::forms::form::{Form, Misfit};
use crate::forms::words;

/// The parameters of a query, decoded.
pub(crate) fn pairs(query: &str) -> form_urlencoded::Parse<'_> {
    form_urlencoded::parse(query.as_bytes())
}

/// Everything in a query that does not fit its type's parameters.
pub(crate) fn misfits_of_query<T: IntoParams>(query: &str) -> Vec<Misfit> {
    let known = T::into_params(|| None);
    let given: Vec<(Cow<'_, str>, Cow<'_, str>)> = pairs(query).collect();
    let is_missing = |parameter: &&Parameter| {
        parameter.required == Required::True && given.iter().all(|(name, _)| *name != parameter.name)
    };
    let mut found: Vec<Misfit> = known
        .iter()
        .filter(is_missing)
        .map(|parameter| Misfit::new(&parameter.name, words::MISSING))
        .collect();
    for (place, (name, text)) in given.iter().enumerate() {
        let Some(parameter) = known.iter().find(|parameter| parameter.name == *name) else {
            let known = known.iter().map(|parameter| parameter.name.as_str());
            found.push(Misfit::new(name, words::unknown_parameter(known)));
            continue;
        };
        if given.iter().take(place).any(|(before, _)| before == name) {
            found.push(Misfit::new(name, words::TWICE));
        } else {
            found.extend(misfit(parameter, text));
        }
    }
    found
}

/// What is wrong with the text of a parameter.
fn misfit(parameter: &Parameter, text: &str) -> Option<Misfit> {
    let schema = serde_json::to_value(&parameter.schema).unwrap_or_default();
    let value = match schema.get("type").and_then(Value::as_str) {
        Some("integer") => text.parse::<i64>().ok().map(Value::from),
        Some("boolean") => text.parse::<bool>().ok().map(Value::from),
        _ => None,
    };
    let value = value.unwrap_or_else(|| Value::from(text));
    Form::new(schema, Map::new()).misfits(&value, &parameter.name).pop()
}
