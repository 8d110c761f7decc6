//! What is asked over HTTP, as a table of paths: a row for each request that is measured.

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// An account with tens of thousands of matches.
    Heavy,
    /// One with some.
    Light,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// In words.
    pub name: &'static str,
    /// The path. `{match}` is a match of the asker's that is over, another each time.
    pub path: &'static str,
    /// Who asks.
    pub who: Who,
}

/// All of them.
pub const ALL: [Asked; 16] = [
    Asked { name: "my matches, of very many", path: "/v1/matches?limit=20", who: Who::Heavy },
    Asked { name: "my matches, of some", path: "/v1/matches?limit=20", who: Who::Light },
    Asked { name: "my turns, of very many", path: "/v1/turns", who: Who::Heavy },
    Asked { name: "my turns, of some", path: "/v1/turns", who: Who::Light },
    Asked { name: "a match that is over", path: "/v1/matches/{match}", who: Who::Heavy },
    Asked { name: "its log", path: "/v1/matches/{match}/actions?limit=100", who: Who::Heavy },
    Asked { name: "its rounds", path: "/v1/matches/{match}/rounds", who: Who::Heavy },
    Asked { name: "its record", path: "/v1/matches/{match}/record", who: Who::Heavy },
    Asked { name: "its record as text", path: "/v1/matches/{match}/record/text", who: Who::Heavy },
    Asked { name: "my history, of very many", path: "/v1/history?limit=20", who: Who::Heavy },
    Asked { name: "of it, what is over", path: "/v1/history?limit=20&status=finished", who: Who::Heavy },
    Asked { name: "of it, a rare rule set", path: "/v1/history?limit=20&preset=custom", who: Who::Heavy },
    Asked { name: "of it, what was won", path: "/v1/history?limit=20&result=won", who: Who::Heavy },
    Asked { name: "a round of a match again", path: "/v1/matches/{match}/rounds/1", who: Who::Heavy },
    Asked { name: "statistics of the whole service", path: "/v1/statistics", who: Who::Light },
    Asked { name: "a leaderboard", path: "/v1/leaderboards/yaniv", who: Who::Light },
];

/// Lists that are read page by page while matches are inserted.
///
/// The path of a page, to which its cursor is added, and whether matches come in the order of their last change, in which one may
/// be met twice.
pub const WALKED: [(&str, bool); 2] = [("/v1/matches?limit=100", true), ("/v1/history?limit=100", false)];
