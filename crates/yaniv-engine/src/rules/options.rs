//! The options of a rule set as plain data (rules §3), unchecked: [`Rules`](crate::Rules) is the checked form.
//! The table of options is in `table.rs`, named values in `choices.rs`, bounds in `bounds.rs`, presets in `preset.rs`.

use crate::rules::choices::{
    AllOut, Direction, EliminationAt, End, OutOfTurn, OverLimit, Pickup, Response, SlamDown, TieStarter,
    WrongCallOthers,
};

/// Points of aces, face cards and jokers, each 0 to 20.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Points {
    /// An ace.
    pub ace: u8,
    /// A jack, unless `one_eyed_jacks` says otherwise.
    pub jack: u8,
    /// A queen.
    pub queen: u8,
    /// A king.
    pub king: u8,
    /// A joker.
    pub joker: u8,
}

/// A total that is replaced if hit exactly; both 0 to 1000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// The total that is hit.
    pub at: u16,
    /// The new total.
    pub to: u16,
}

/// A deduction for successful calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Bonus {
    /// Number of successful calls per deduction, 1 to 10.
    pub every: u8,
    /// Points deducted, 1 to 100.
    pub points: u8,
}

macro_rules! define_options {
    ($(
        $(#[doc = $doc:tt])+ $name:ident: $type:ty, $kind:ident $(($($args:tt)*))? = $default:expr;
    )+) => {
        /// Every option of rules §3, in its order. `Default` has the defaults, which are the preset `yaniv`.
        ///
        /// Bounds are in the table, [`rule_options!`](crate::rule_options!).
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct RuleOptions {
            $($(#[doc = $doc])+ pub $name: $type,)+
        }

        impl RuleOptions {
            /// The values of a choice, the default first; none for another kind of option or an unknown name.
            pub fn choices(option: &str) -> Vec<&'static str> {
                match option {
                    $(stringify!($name) => choice_names!($type, $kind),)+
                    _ => Vec::new(),
                }
            }
        }

        impl RuleOptions {
            /// The values of a number that takes only some of those within its bounds; none for other options.
            pub fn numbers(option: &str) -> Vec<u8> {
                match option {
                    $(stringify!($name) => numbers!($kind $(($($args)*))?),)+
                    _ => Vec::new(),
                }
            }

            /// Whether an option can be off; `None` for a name that is none of an option.
            pub fn can_be_off(option: &str) -> Option<bool> {
                match option {
                    $(stringify!($name) => Some(can_be_off!($kind)),)+
                    _ => None,
                }
            }

            /// The field of a request that turns an option off whatever the preset says, if there is one.
            pub fn off_switch(option: &str) -> Option<&'static str> {
                match option {
                    $(stringify!($name) => off_switch!($kind $(($($args)*))?),)+
                    _ => None,
                }
            }
        }

        impl Default for RuleOptions {
            fn default() -> RuleOptions {
                RuleOptions { $($name: $default),+ }
            }
        }
    };
}

macro_rules! choice_names {
    ($type:ty, choice) => {
        <$type>::ALL.iter().map(|value| value.as_str()).collect()
    };
    ($type:ty, $other:ident) => {
        Vec::new()
    };
}

macro_rules! numbers {
    (either($low:tt, $high:tt)) => {
        vec![$low, $high]
    };
    ($kind:ident $(($($args:tt)*))?) => {
        Vec::new()
    };
}

macro_rules! can_be_off {
    (optional) => {
        true
    };
    (bonus) => {
        true
    };
    ($other:ident) => {
        false
    };
}

macro_rules! off_switch {
    (optional($min:tt..=$max:tt, examples($of_body:tt, $of_request:tt), request $switch:ident $($texts:tt)*)) => {
        Some(stringify!($switch))
    };
    ($kind:ident $(($($args:tt)*))?) => {
        None
    };
}

pub(crate) use {can_be_off, off_switch};

crate::rule_options!(define_options);
