//! The rule set of a match, every option of it. The fields are those of the engine's table of options.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_engine::{Bonus, Points, Reduction, RuleOptions};

/// Makes `RuleSetBody` from the engine's table, one row at a time.
///
/// Each kind of option has an arm: its field, and the function that prints it. Numbers that can be absent and structured
/// values come last in the body (`@last`).
macro_rules! define_body {
    // A kind with its field, among the first or the last; what is left of the table follows.
    (@first [{ $($first:tt)* } $last:tt { $($prints:tt)* }] { $($field:tt)+ } { $($print:tt)+ } $($rows:tt)*) => {
        define_body! { @next [{ $($first)* $($field)+ } $last { $($prints)* $($print)+ }] $($rows)* }
    };
    (@last [$first:tt { $($last:tt)* } { $($prints:tt)* }] { $($field:tt)+ } { $($print:tt)+ } $($rows:tt)*) => {
        define_body! { @next [$first { $($last)* $($field)+ } { $($prints)* $($print)+ }] $($rows)* }
    };

    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, number($min:tt..=$max:tt) = $default:tt; $($rows:tt)*) => {
        define_body! { @first $made
            {
                $(#[doc = $doc])+
                #[schema(minimum = $min, maximum = $max, examples($default))]
                pub $name: i32,
            }
            { $name: number($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, either($low:tt, $high:tt) = $default:tt; $($rows:tt)*) => {
        define_body! { @next $made $(#[doc = $doc])+ $name: $type, number($low..=$high) = $default; $($rows)* }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, flag = $default:expr; $($rows:tt)*) => {
        define_body! { @first $made { $(#[doc = $doc])+ pub $name: bool, } { $name: bool::clone($name); } $($rows)* }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ident, choice = $default:expr; $($rows:tt)*) => {
        define_body! { @first $made
            {
                $(#[doc = $doc])+
                #[schema(max_length = 32, pattern = "^[a-z_]+$", examples(yaniv_engine::$type::default_name))]
                pub $name: String,
            }
            { $name: ToString::to_string($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, optional(
        $min:tt..=$max:tt, examples($example:tt, $of_request:tt)
        $(, request $off:ident $off_doc:tt)? $(, body $is_off:ident $is_off_doc:tt)?
    ) = $default:expr; $($rows:tt)*) => {
        define_body! { @last $made
            {
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false, minimum = $min, maximum = $max, examples($example))]
                pub $name: Option<i32>,
                $(#[doc = $is_off_doc] pub $is_off: bool,)?
            }
            { $name: optional($name); $($is_off: Option::is_none($name);)? }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, points = $default:expr; $($rows:tt)*) => {
        define_body! { @last $made { $(#[doc = $doc])+ pub $name: PointsBody, } { $name: points($name); } $($rows)* }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, words = $default:expr; $($rows:tt)*) => {
        define_body! { @last $made
            {
                $(#[doc = $doc])+
                #[schema(min_items = 1, max_items = 4, examples("yaniv"))]
                pub $name: Vec<String>,
            }
            { $name: Vec::clone($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, reductions = $default:expr; $($rows:tt)*) => {
        define_body! { @last $made
            { $(#[doc = $doc])+ #[schema(max_items = 20)] pub $name: Vec<ReductionBody>, }
            { $name: reductions($name); }
            $($rows)*
        }
    };
    (@next $made:tt $(#[doc = $doc:tt])+ $name:ident: $type:ty, bonus = $default:expr; $($rows:tt)*) => {
        define_body! { @last $made
            {
                $(#[doc = $doc])+
                #[serde(skip_serializing_if = "Option::is_none")]
                #[schema(nullable = false)]
                pub $name: Option<BonusBody>,
            }
            { $name: bonus($name); }
            $($rows)*
        }
    };

    // No row is left.
    (@next [{ $($first:tt)* } { $($last:tt)* } { $($field:ident: $($print:ident)::+($option:ident);)* }]) => {
        /// The rule set of a match. Every option is there; one that is switched off is left out (`call_limit`,
        /// `second_deck_at`, `one_eyed_jacks`, `bonus`, `max_rounds`).
        #[derive(Clone, Debug, Serialize, ToSchema)]
        #[schema(as = RuleSet)]
        pub struct RuleSetBody {
            $($first)*
            $($last)*
        }

        impl From<&RuleOptions> for RuleSetBody {
            fn from(options: &RuleOptions) -> Self {
                Self { $($field: $($print)::+(&options.$option),)* }
            }
        }
    };
    ($($rows:tt)*) => {
        define_body! { @next [{} {} {}] $($rows)* }
    };
}

yaniv_engine::rule_options!(define_body);

/// What cards are worth that do not count their number.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Points)]
pub struct PointsBody {
    /// An ace.
    #[schema(minimum = 0, maximum = 20, examples(1))]
    pub ace: i32,
    /// A jack.
    #[schema(minimum = 0, maximum = 20, examples(10))]
    pub jack: i32,
    /// A queen.
    #[schema(minimum = 0, maximum = 20, examples(10))]
    pub queen: i32,
    /// A king.
    #[schema(minimum = 0, maximum = 20, examples(10))]
    pub king: i32,
    /// A joker.
    #[schema(minimum = 0, maximum = 20, examples(0))]
    pub joker: i32,
}

/// A total that, when hit exactly, is replaced.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Reduction)]
pub struct ReductionBody {
    /// The total that is hit.
    #[schema(minimum = 0, maximum = 1000, examples(100))]
    pub at: i32,
    /// The total that replaces it.
    #[schema(minimum = 0, maximum = 1000, examples(50))]
    pub to: i32,
}

/// A bonus for successful calls.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Bonus)]
pub struct BonusBody {
    /// Number of successful calls for each deduction.
    #[schema(minimum = 1, maximum = 10, examples(3))]
    pub every: i32,
    /// Points deducted.
    #[schema(minimum = 1, maximum = 100, examples(20))]
    pub points: i32,
}

fn number<T: Copy + Into<i32>>(value: &T) -> i32 {
    (*value).into()
}

fn optional<T: Copy + Into<i32>>(value: &Option<T>) -> Option<i32> {
    value.map(Into::into)
}

fn points(points: &Points) -> PointsBody {
    PointsBody {
        ace: points.ace.into(),
        jack: points.jack.into(),
        queen: points.queen.into(),
        king: points.king.into(),
        joker: points.joker.into(),
    }
}

fn reductions(list: &[Reduction]) -> Vec<ReductionBody> {
    list.iter().map(|one| ReductionBody { at: one.at.into(), to: one.to.into() }).collect()
}

fn bonus(value: &Option<Bonus>) -> Option<BonusBody> {
    value.map(|bonus| BonusBody { every: bonus.every.into(), points: bonus.points.into() })
}
