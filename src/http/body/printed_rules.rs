//! The rule set of a match as it is printed: half of a view's text, and for a preset always the same.

use std::sync::OnceLock;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;
use yaniv_engine::{Preset, RuleOptions};

use super::rule_set_body::RuleSetBody;

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
        match preset.and_then(printed) {
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

fn printed(name: &str) -> Option<&'static RawValue> {
    static PRESETS: OnceLock<Vec<(&str, Box<RawValue>)>> = OnceLock::new();
    let print = |preset: &Preset| {
        let text = serde_json::to_string(&RuleSetBody::from(&preset.options())).ok()?;
        Some((preset.as_str(), RawValue::from_string(text).ok()?))
    };
    let presets = PRESETS.get_or_init(|| Preset::ALL.iter().filter_map(print).collect());
    presets.iter().find(|(preset, _)| *preset == name).map(|(_, printed)| printed.as_ref())
}
