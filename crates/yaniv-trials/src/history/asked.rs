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
pub const ALL: [Asked; 9] = [
    Asked { name: "my matches, of very many", path: "/v1/matches?limit=20", who: Who::Heavy },
    Asked { name: "my matches, of some", path: "/v1/matches?limit=20", who: Who::Light },
    Asked { name: "my turns, of very many", path: "/v1/turns", who: Who::Heavy },
    Asked { name: "my turns, of some", path: "/v1/turns", who: Who::Light },
    Asked { name: "a match that is over", path: "/v1/matches/{match}", who: Who::Heavy },
    Asked { name: "its log", path: "/v1/matches/{match}/actions?limit=100", who: Who::Heavy },
    Asked { name: "its rounds", path: "/v1/matches/{match}/rounds", who: Who::Heavy },
    Asked { name: "its record", path: "/v1/matches/{match}/record", who: Who::Heavy },
    Asked { name: "its record as text", path: "/v1/matches/{match}/record/text", who: Who::Heavy },
];

/// Lists that are read page by page while matches are inserted: the path of a page, to which its cursor is added, and whether matches come
/// in the order of their last change, in which one may be met twice.
pub const WALKED: [(&str, bool); 1] = [("/v1/matches?limit=100", true)];
