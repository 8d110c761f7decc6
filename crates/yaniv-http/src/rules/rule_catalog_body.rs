//! The rule sets that there are, and the options of a rule set: enough to build the form of a new match, and to know
//! which forms are accepted.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::{PartialSchema, ToSchema};
use yaniv_engine::{Preset, RuleOptions, Rules};

use crate::match_view::rule_set_body::RuleSetBody;
use crate::rules::rule_request::{RuleSetRequest, choices};

/// Ranks of a suit.
const CARDS_OF_SUIT: i32 = 13;

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

/// An option of a rule set: a field of `rules` in a new match.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleOption)]
pub struct RuleOptionBody {
    /// Name, as a field of `rules`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("elimination"))]
    pub name: String,
    /// Form of the value: `integer`, `boolean`, `choice` (a text, one of `choices`), `texts` (a list of texts), `object`
    /// (with `fields`), `objects` (a list of objects with `fields`).
    #[schema(max_length = 16, examples("integer"))]
    pub kind: String,
    /// What it does.
    #[schema(max_length = 500, examples("A player with a total above this is out."))]
    pub description: String,
    /// Least value of an integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(10))]
    pub minimum: Option<i32>,
    /// Greatest value of an integer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(1000))]
    pub maximum: Option<i32>,
    /// The only values of an integer that does not take all within its bounds; otherwise empty.
    #[schema(max_items = 20)]
    pub values: Vec<i32>,
    /// Values of a choice, the default first; otherwise empty.
    #[schema(max_items = 20)]
    pub choices: Vec<String>,
    /// Least number of items of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(1))]
    pub min_items: Option<i32>,
    /// Greatest number of items of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(4))]
    pub max_items: Option<i32>,
    /// Regular expression of the texts of a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, examples("^[a-z]{1,16}$"))]
    pub item_pattern: Option<String>,
    /// Fields of an object, or of each object of a list; otherwise empty.
    #[schema(max_items = 20)]
    pub fields: Vec<RuleOptionFieldBody>,
    /// Whether the option can be off. Then a rule set leaves it out.
    pub can_be_off: bool,
    /// Boolean field of `rules` that turns the option off if it is `true`, whatever the preset says. If it is `true`, the
    /// option must be left out. Only options that a preset has on have one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("call_limit_off"))]
    pub off_switch: Option<String>,
    /// Option that must be on for this one to have an effect: not 0, `false` or off; of `call_words`, two words. Without
    /// it, this option is accepted and changes nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("jokers"))]
    pub needs: Option<String>,
}

/// A field of an option that is an object, or a list of objects: an integer.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleOptionField)]
pub struct RuleOptionFieldBody {
    /// Name.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("every"))]
    pub name: String,
    /// What it is.
    #[schema(max_length = 500, examples("Number of successful calls for each deduction."))]
    pub description: String,
    /// Least value.
    #[schema(examples(1))]
    pub minimum: i32,
    /// Greatest value.
    #[schema(examples(10))]
    pub maximum: i32,
    /// Whether it must be given. Otherwise, if it is left out, it stays as in the preset.
    pub required: bool,
    /// Whether no two objects of the list may have the same value.
    pub unique: bool,
}

/// How many seats fit a rule set.
///
/// A number of seats fits if it is `minimum` to `maximum`, with two `suits` to `half_pack_maximum`, and the cards
/// suffice: `packs * (suits * cards_of_suit + jokers) >= seats * (hand_size + spare_cards_of_seat) + spare_cards`.
/// `packs` is `decks`; with `second_deck_at` or more seats, at least 2.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SeatLimits)]
pub struct SeatLimitsBody {
    /// Least number of seats.
    #[schema(examples(2))]
    pub minimum: i32,
    /// Greatest number of seats.
    #[schema(examples(10))]
    pub maximum: i32,
    /// Greatest number of seats with two suits.
    #[schema(examples(4))]
    pub half_pack_maximum: i32,
    /// Cards of a suit in a pack.
    #[schema(examples(13))]
    pub cards_of_suit: i32,
    /// Cards for each seat beyond its hand.
    #[schema(examples(1))]
    pub spare_cards_of_seat: i32,
    /// Cards besides those of seats.
    #[schema(examples(1))]
    pub spare_cards: i32,
}

/// All options of a rule set. Each combination of values is accepted, but for off switches and the number of seats.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RuleOptionList)]
pub struct RuleOptionListBody {
    /// In the order of the document.
    #[schema(max_items = 100)]
    pub items: Vec<RuleOptionBody>,
    /// The value of each option that is left out, if `rules` names no preset. An option that is off has none.
    pub defaults: RuleSetBody,
    /// Values of the field `preset` of `rules`, the default first. A preset gives the options that are left out the values
    /// that `listPresets` shows.
    #[schema(max_items = 100)]
    pub presets: Vec<String>,
    /// How many seats fit a rule set.
    pub seats: SeatLimitsBody,
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
    /// The options, from the schema of a request's rule set.
    pub fn all() -> Self {
        let mut schemas = Vec::new();
        RuleSetRequest::schemas(&mut schemas);
        let value = |schema| serde_json::to_value(schema).unwrap_or_default();
        let named = schemas.into_iter().map(|(name, schema)| (name, value(schema))).collect();
        let schema = value(RuleSetRequest::schema());
        let fields = members(&schema, "properties");
        let items = fields.filter_map(|(name, field)| RuleOptionBody::new(name, field, &named)).collect();
        Self {
            items,
            defaults: RuleSetBody::from(&RuleOptions::default()),
            presets: choices("preset").into_iter().map(str::to_owned).collect(),
            seats: SeatLimitsBody::new(),
        }
    }
}

impl RuleOptionBody {
    /// An option from its field; none if the field is none of an option.
    fn new(name: &str, field: &Value, named: &Map<String, Value>) -> Option<Self> {
        let can_be_off = RuleOptions::can_be_off(name)?;
        let item = field.get("items").unwrap_or(field);
        let object =
            item.get("$ref").and_then(Value::as_str).and_then(|path| named.get(path.rsplit('/').next()?));
        let choices: Vec<String> = choices(name).into_iter().map(str::to_owned).collect();
        let kind = match field.get("type").and_then(Value::as_str) {
            Some("integer") => "integer",
            Some("boolean") => "boolean",
            Some("array") if object.is_some() => "objects",
            Some("array") => "texts",
            Some("string") => "choice",
            _ => "object",
        };
        Some(Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            description: text(field, "description").unwrap_or_default(),
            minimum: integer(field, "minimum"),
            maximum: integer(field, "maximum"),
            values: RuleOptions::numbers(name).into_iter().map(i32::from).collect(),
            choices,
            min_items: integer(field, "minItems").or((kind == "objects").then_some(0)),
            max_items: integer(field, "maxItems"),
            item_pattern: field.get("items").and_then(|item| text(item, "pattern")),
            fields: object.into_iter().flat_map(|object| RuleOptionFieldBody::all(name, object)).collect(),
            can_be_off,
            off_switch: RuleOptions::off_switch(name).map(str::to_owned),
            needs: needs(name).map(str::to_owned),
        })
    }
}

impl RuleOptionFieldBody {
    fn all(option: &str, object: &Value) -> Vec<Self> {
        let is_required = |name: &str| {
            let required = object.get("required").and_then(Value::as_array);
            required.is_some_and(|required| required.iter().any(|one| one == name))
        };
        let field = |(name, field): (&String, &Value)| Self {
            name: name.clone(),
            description: text(field, "description").unwrap_or_default(),
            minimum: integer(field, "minimum").unwrap_or_default(),
            maximum: integer(field, "maximum").unwrap_or_default(),
            required: is_required(name),
            unique: (option, name.as_str()) == ("reductions", "at"),
        };
        members(object, "properties").map(field).collect()
    }
}

impl SeatLimitsBody {
    fn new() -> Self {
        let (of_seat, besides) = Rules::SPARE_CARDS;
        Self {
            minimum: (*Rules::PLAYERS.start()).into(),
            maximum: (*Rules::PLAYERS.end()).into(),
            half_pack_maximum: Rules::HALF_PACK_PLAYERS.into(),
            cards_of_suit: CARDS_OF_SUIT,
            spare_cards_of_seat: of_seat.into(),
            spare_cards: besides.into(),
        }
    }
}

/// The option that gives another one an effect.
fn needs(option: &str) -> Option<&'static str> {
    match option {
        "jokers_in_runs" | "jokers_in_sets" | "joker_pair" => Some("jokers"),
        "min_naturals" => Some("jokers_in_runs"),
        "word_penalty" => Some("call_words"),
        "over_limit" => Some("call_limit"),
        _ => None,
    }
}

fn members<'a>(schema: &'a Value, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    schema.get(name).and_then(Value::as_object).into_iter().flatten()
}

fn integer(schema: &Value, name: &str) -> Option<i32> {
    schema.get(name).and_then(Value::as_i64).and_then(|number| i32::try_from(number).ok())
}

fn text(schema: &Value, name: &str) -> Option<String> {
    schema.get(name).and_then(Value::as_str).map(str::to_owned)
}
