//! The rules of Yaniv.
#[cfg(feature="serde")] mod analyze; mod check; #[cfg(feature="serde")] mod position; mod snapshot; #[cfg(feature="serde")] pub use crate::{analyze::*, position::*}; mod action; mod bag; mod card; mod cards; mod choices; mod deal; mod discards; mod ending; mod error; mod event; mod leave; mod legal; mod match_; mod meld; mod options; mod play; mod preset; mod responses; mod rules;
#[cfg(feature="serde")] mod rules_json; mod scoring; mod seat; mod shuffle; mod shuffler; mod table; mod view;
pub use crate::legal::*; pub use crate::view::*;pub use crate::table::PhaseKind;
pub use crate::match_::Match; pub use crate::shuffle::*;pub use crate::shuffler::*;pub use crate::action::*; pub use crate::card::*; pub use crate::cards::*; pub use crate::error::*;pub use crate::event::*; pub use crate::seat::*; pub use crate::rules::*; pub use crate::preset::*; pub use crate::options::*; pub use crate::choices::*; 
#[cfg(feature="serde")] pub use crate::rules_json::rules_from_json;
