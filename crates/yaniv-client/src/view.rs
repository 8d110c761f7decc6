//! A match with its settings. Views name the settings by a tag; they are fetched once for each tag.

use std::collections::HashMap;
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use crate::types::{Match, MatchSettings};

/// A match as a player sees it, with its settings.
#[derive(Clone, Debug)]
pub struct View {
    /// What changes; a view is used like it.
    pub state: Match,
    /// What never changes: rules, time control, number of seats.
    pub settings: Arc<MatchSettings>,
}

/// The settings that a player knows, by tag.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownSettings(Arc<Mutex<HashMap<String, Arc<MatchSettings>>>>);

impl Deref for View {
    type Target = Match;

    fn deref(&self) -> &Match {
        &self.state
    }
}

impl DerefMut for View {
    fn deref_mut(&mut self) -> &mut Match {
        &mut self.state
    }
}

impl KnownSettings {
    pub(crate) fn get(&self, tag: &str) -> Option<Arc<MatchSettings>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(tag).cloned()
    }

    pub(crate) fn keep(&self, tag: &str, settings: MatchSettings) -> Arc<MatchSettings> {
        let settings = Arc::new(settings);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(tag.to_owned(), Arc::clone(&settings));
        settings
    }
}
