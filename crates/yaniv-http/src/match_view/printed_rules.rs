//! The rule set of a match as it is printed: half of a view's text, and for a preset always the same.

use std::sync::OnceLock;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use yaniv_engine::{Preset, RuleOptions};

use crate::match_view::rule_set_body::RuleSetBody;

/// The rule set of a match.
#[derive(Clone, Debug)]
pub enum PrintedRules {
    /// A preset, printed before.
    Preset(&'static RawValue),
    /// Rules of their own.
    Own(Box<RuleSetBody>),
}

impl PrintedRules {
    /// The rules of a match: a preset by its name, or these.
    pub fn of(preset: Option<&str>, options: &RuleOptions) -> Self {
        match preset.and_then(|name| printed(name, options)) {
            Some(printed) => Self::Preset(printed),
            None => Self::Own(Box::new(RuleSetBody::from(options))),
        }
    }
}

impl Serialize for PrintedRules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Preset(printed) => printed.serialize(serializer),
            Self::Own(body) => body.serialize(serializer),
        }
    }
}

/// The text of a preset, if it still is what the match has stored.
fn printed(name: &str, options: &RuleOptions) -> Option<&'static RawValue> {
    static PRESETS: OnceLock<Vec<(&str, RuleOptions, Box<RawValue>)>> = OnceLock::new();
    let print = |preset: &Preset| {
        let options = preset.options();
        let text = serde_json::to_string(&RuleSetBody::from(&options)).ok()?;
        Some((preset.as_str(), options, RawValue::from_string(text).ok()?))
    };
    let presets = PRESETS.get_or_init(|| Preset::ALL.iter().filter_map(print).collect());
    let same = |(preset, stored, _): &&(&str, RuleOptions, _)| *preset == name && stored == options;
    presets.iter().find(same).map(|(_, _, printed)| printed.as_ref())
}
