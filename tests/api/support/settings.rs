//! Settings of matches, as a client keeps them: by the tag that views name.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use serde_json::Value;

static KNOWN: LazyLock<Mutex<HashMap<String, Value>>> = LazyLock::new(Mutex::default);

/// Keeps the settings of the match of a view.
pub(crate) fn keep(view: &Value, settings: Value) {
    let tag = view["settings_tag"].as_str().unwrap().to_owned();
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(tag, settings);
}

/// The settings of the match of a view; null if they were never fetched.
pub(crate) fn settings_of(view: &Value) -> Value {
    let tag = view["settings_tag"].as_str().unwrap();
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(tag).cloned().unwrap_or_default()
}
