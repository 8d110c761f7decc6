//! Cache of round analyses, the expensive part of a replay.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;

use crate::history::round_analysis::RoundAnalysis;

/// Capacity in analysed decisions, of some 300 bytes each.
const KEPT: u64 = 40_000;

/// Cache key: match, round, and the round's last version and end.
///
/// The end is included because a round may be played differently after a loss of data.
pub(crate) type AnalysisKey = (Uuid, u16, i32, DateTime<Utc>);

/// Recent analyses. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AnalysisCache(Arc<Cache<AnalysisKey, Arc<RoundAnalysis>, Weight>>);

#[derive(Clone)]
struct Weight;

impl Weighter<AnalysisKey, Arc<RoundAnalysis>> for Weight {
    fn weight(&self, _: &AnalysisKey, analysis: &Arc<RoundAnalysis>) -> u64 {
        u64::try_from(analysis.decisions.len()).unwrap_or(u64::MAX).saturating_add(1)
    }
}

impl Default for AnalysisCache {
    fn default() -> Self {
        Self(Arc::new(Cache::with_weighter(1_000, KEPT, Weight)))
    }
}

impl AnalysisCache {
    /// Looks an analysis up.
    pub(crate) fn get(&self, key: &AnalysisKey) -> Option<Arc<RoundAnalysis>> {
        self.0.get(key)
    }

    /// Stores an analysis.
    pub(crate) fn keep(&self, key: AnalysisKey, analysis: &Arc<RoundAnalysis>) {
        self.0.insert(key, Arc::clone(analysis));
    }
}
