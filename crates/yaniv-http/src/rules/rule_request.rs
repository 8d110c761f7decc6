//! The rule set that is wanted of a new match: a preset and what differs from it. The fields are those of the
//! engine's table of options.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::openapi::schema::{ArrayItems, ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};
use yaniv_engine::{BadRules, Preset, RuleOptions};

use crate::match_view::rule_set_body::{BonusBody, ReductionBody};
use crate::rules::rule_options;

/// Makes `RuleSetRequest` and `put_all` from the engine's table, one row at a time.
///
/// Each kind of option has an arm: its field, and the function of `rule_options.rs` that puts it into the options.
/// Numbers that can be absent and structured values come last in the request (`@last`).
macro_rules! define_request {
    // A kind with its field, among the first or the last; what is left of the table follows.
    (@first [{ $($first:tt)* } $last:tt { $($puts:tt)* }] { $($field:tt)+ } { $($put:tt)+ } $($rows:tt)*) => {
        define_request! { @next [{ $($first)* $($field)+ } $last { $($puts)* $($put)+ }] $($rows)* }
    };
    (@last [$first:tt { $($last:tt)* } { $($puts:tt)* }] { $($field:tt)+ } { $($put:tt)+ } $($rows:tt)*) => {
        define_request! { @next [$first { $($last)* $($field)+ } { $($puts)* $($put)+ }] $($rows)* }
    };

    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, number($min:tt..=$max:tt) = $default:tt; $($rows:tt)*) => {
        define_request! { @first $made
            {
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false, minimum = $min, maximum = $max, examples($default))]
                pub $name: Option<i32>,
            }
            { put_number($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, either($low:tt, $high:tt) = $default:tt; $($rows:tt)*) => {
        define_request! { @next $made $(#[doc = $doc])+ $name: $type, number($low..=$high) = $default; $($rows)* }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, flag = $default:expr; $($rows:tt)*) => {
        define_request! { @first $made
            {
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false)]
                pub $name: Option<bool>,
            }
            { put_flag($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ident, choice = $default:expr; $($rows:tt)*) => {
        define_request! { @first $made
            {
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(
                    nullable = false, max_length = 32, pattern = "^[a-z_]+$",
                    examples(yaniv_engine::$type::default_name)
                )]
                pub $name: Option<String>,
            }
            { put_name($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, optional(
        $min:tt..=$max:tt, examples($of_body:tt, $example:tt)
        $(, request $off:ident $off_doc:tt)? $(, body $($body:tt)*)?
    ) = $default:expr; $($rows:tt)*) => {
        define_request! { @last $made
            {
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false, minimum = $min, maximum = $max, examples($example))]
                pub $name: Option<i32>,
                $(
                    #[doc = $off_doc]
                    #[serde(default, skip_serializing_if = "Option::is_none")]
                    #[schema(nullable = false)]
                    pub $off: Option<bool>,
                )?
            }
            { put_optional($name $(unless $off)?); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, points = $default:expr; $($rows:tt)*) => {
        define_request! { @last $made
            {
                /// What cards are worth; those left out stay as they are.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false)]
                pub $name: Option<PointsRequest>,
            }
            { put_points($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, words = $default:expr; $($rows:tt)*) => {
        define_request! { @last $made
            {
                /// Words that a caller may say, 1 to 16 letters a to z each; the first is the right one.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false, min_items = 1, max_items = 4, examples("yaniv"))]
                pub $name: Option<Vec<String>>,
            }
            { put_words($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, reductions = $default:expr; $($rows:tt)*) => {
        define_request! { @last $made
            {
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false, max_items = 20)]
                pub $name: Option<Vec<ReductionBody>>,
            }
            { put_reductions($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, bonus = $default:expr; $($rows:tt)*) => {
        define_request! { @last $made
            {
                $(#[doc = $doc])+
                #[serde(default, skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false)]
                pub $name: Option<BonusBody>,
            }
            { put_bonus($name); }
            $($rows)*
        }
    };

    // No row is left.
    (@next [{ $($first:tt)* } { $($last:tt)* } { $($put:ident($name:ident $(unless $off:ident)?);)* }]) => {
        /// A preset and what differs from it. An option that is left out is that of the preset; without a preset, `yaniv`.
        #[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
        #[serde(deny_unknown_fields)]
        #[schema(as = RuleSetRequest, examples(json!({"preset": "yaniv", "elimination": 100, "reductions": []})))]
        pub struct RuleSetFields {
            /// Named rule set to begin with: `yaniv`, `yaniv_wikipedia`, `jhyap`, `dhumbal`, `dhumbal_jokers`, `kluft`,
            /// `speedy`.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("yaniv"))]
            pub preset: Option<String>,
            $($first)*
            $($last)*
        }

        /// Puts the options that a request has in place of these.
        pub(super) fn put_all(request: &RuleSetFields, options: &mut RuleOptions) -> Result<(), BadRules> {
            $(
                $(rule_options::check_not_both(stringify!($name), request.$name, request.$off)?;)?
                $(if request.$off == Some(true) { options.$name = None; })?
                rule_options::$put(stringify!($name), request.$name.as_ref(), &mut options.$name)?;
            )*
            Ok(())
        }
    };
    ($($rows:tt)*) => {
        define_request! { @next [{} {} {}] $($rows)* }
    };
}

yaniv_engine::rule_options!(define_request);

/// The rule set that is wanted of a new match.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub struct RuleSetRequest(pub(super) RuleSetFields);

impl ToSchema for RuleSetRequest {
    fn name() -> Cow<'static, str> {
        RuleSetFields::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        RuleSetFields::schemas(schemas);
    }
}

/// The schema of the fields, with the names that choices can have: attributes cannot list them.
impl PartialSchema for RuleSetRequest {
    fn schema() -> RefOr<Schema> {
        let mut schema = RuleSetFields::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            for (name, field) in &mut object.properties {
                limit_texts(name, field);
            }
        }
        schema
    }
}

fn limit_texts(name: &str, field: &mut RefOr<Schema>) {
    let names = choices(name);
    match field {
        RefOr::T(Schema::Object(text)) if !names.is_empty() => {
            (text.pattern, text.max_length) = (None, None);
            text.enum_values = Some(names.into_iter().map(Value::from).collect());
        }
        RefOr::T(Schema::Array(list)) if name == "call_words" => {
            let word = ObjectBuilder::new()
                .schema_type(Type::String)
                .max_length(Some(16))
                .pattern(Some("^[a-z]{1,16}$"))
                .examples(["yaniv"]);
            list.items = ArrayItems::RefOrSchema(Box::new(word.into()));
        }
        _ => {}
    }
}

/// The names that a field can have; none if it is no choice.
pub(super) fn choices(field: &str) -> Vec<&'static str> {
    match field {
        "preset" => Preset::ALL.iter().map(|preset| preset.as_str()).collect(),
        option => RuleOptions::choices(option),
    }
}

/// What cards are worth that do not count their number; those left out stay as they are.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PointsRequest)]
pub struct PointsRequest {
    /// An ace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(1))]
    pub ace: Option<i32>,
    /// A jack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(10))]
    pub jack: Option<i32>,
    /// A queen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(10))]
    pub queen: Option<i32>,
    /// A king.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(10))]
    pub king: Option<i32>,
    /// A joker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 20, examples(0))]
    pub joker: Option<i32>,
}
