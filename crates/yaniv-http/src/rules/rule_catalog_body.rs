//! The rule sets that there are, and the options that a rule set has: enough to build the form of a new match.

use serde::Serialize;
use serde_json::Value;
use utoipa::{PartialSchema, ToSchema};
use yaniv_engine::{Preset, RuleOptions, Rules};

use crate::match_view::rule_set_body::RuleSetBody;
use crate::rules::rule_request::RuleSetRequest;

/// A named rule set.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Preset)]
pub struct PresetBody {
    /// Name, as `preset` in a new match.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("yaniv"))]
    pub name: String,
    /// Name for people.
    #[schema(max_length = 64, examples("Yaniv"))]
    pub title: String,
    /// What it is, in one line.
    #[schema(max_length = 200, examples("as played in Israel: call with 5 or less, out above 200"))]
    pub description: String,
    /// Players at most.
    #[schema(minimum = 2, maximum = 10, examples(8))]
    pub max_players: i32,
    /// Every option of it.
    pub rules: RuleSetBody,
}

/// All named rule sets.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PresetList)]
pub struct PresetListBody {
    /// The default first.
    #[schema(max_items = 100)]
    pub items: Vec<PresetBody>,
}

/// An option of a rule set. What it is by default, the presets tell.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleOption)]
pub struct RuleOptionBody {
    /// Name, as a field of `rules` in a new match.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("elimination"))]
    pub name: String,
    /// `integer`, `boolean`, `choice` (a text, one of `choices`), `list` or `object` (by the API's document).
    #[schema(max_length = 16, examples("integer"))]
    pub kind: String,
    /// What it does.
    #[schema(max_length = 500, examples("Who has more than this total is out."))]
    pub description: String,
    /// Least value of an integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(10))]
    pub minimum: Option<i32>,
    /// Greatest value of an integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(1000))]
    pub maximum: Option<i32>,
    /// Values of a choice, the default first.
    #[schema(max_items = 20)]
    pub choices: Vec<String>,
}

/// All options of a rule set.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleOptionList)]
pub struct RuleOptionListBody {
    /// In the order of the rules.
    #[schema(max_items = 100)]
    pub items: Vec<RuleOptionBody>,
}

impl PresetListBody {
    /// The presets of the engine.
    pub fn all() -> Self {
        Self { items: Preset::ALL.iter().map(|preset| PresetBody::from(*preset)).collect() }
    }
}

impl From<Preset> for PresetBody {
    fn from(preset: Preset) -> Self {
        let options = preset.options();
        Self {
            name: preset.as_str().to_owned(),
            title: preset.title().to_owned(),
            description: preset.description().to_owned(),
            rules: RuleSetBody::from(&options),
            max_players: Rules::new(options).map_or(0, |rules| i32::from(rules.max_players())),
        }
    }
}

impl RuleOptionListBody {
    /// The fields of a request's rule set, as the API's document has them.
    pub fn all() -> Self {
        let schema = serde_json::to_value(RuleSetRequest::schema()).unwrap_or_default();
        let fields = schema.get("properties").and_then(Value::as_object);
        Self {
            items: fields
                .into_iter()
                .flatten()
                .map(|(name, field)| RuleOptionBody::new(name, field))
                .collect(),
        }
    }
}

impl RuleOptionBody {
    fn new(name: &str, field: &Value) -> Self {
        let bound = |which: &str| {
            field.get(which).and_then(Value::as_i64).and_then(|bound| i32::try_from(bound).ok())
        };
        let choices: Vec<String> = choices(name).into_iter().map(str::to_owned).collect();
        let kind = match field.get("type").and_then(Value::as_str) {
            Some("integer") => "integer",
            Some("boolean") => "boolean",
            Some("array") => "list",
            _ if choices.is_empty() => "object",
            _ => "choice",
        };
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            description: field.get("description").and_then(Value::as_str).unwrap_or_default().to_owned(),
            minimum: bound("minimum"),
            maximum: bound("maximum"),
            choices,
        }
    }
}

fn choices(name: &str) -> Vec<&'static str> {
    match name {
        "preset" => Preset::ALL.iter().map(|preset| preset.as_str()).collect(),
        option => RuleOptions::choices(option),
    }
}
