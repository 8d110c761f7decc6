//! The measured HTTP requests, as a table of paths.

/// The account that sends a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// An account with tens of thousands of matches.
    Heavy,
    /// An ordinary account.
    Light,
}

/// A measured request.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Its description.
    pub name: &'static str,
    /// The path.
    ///
    /// `{match}` is a finished match of the account, a different one each time; `{light}` the name of the ordinary
    /// account; `{then}` and `{later}` are the ends of a month in the first third of the period.
    pub path: &'static str,
    /// The account.
    pub who: Who,
}

/// All requests.
pub const ALL: [Asked; 41] = [
    heavy("my matches, of very many", "/v1/matches?limit=20"),
    light("my matches, of some", "/v1/matches?limit=20"),
    heavy("my turns, of very many", "/v1/turns"),
    light("my turns, of some", "/v1/turns"),
    heavy("a match that is over", "/v1/matches/{match}"),
    heavy("its log", "/v1/matches/{match}/log?limit=100"),
    heavy("its rounds", "/v1/matches/{match}/rounds"),
    heavy("a round of it again", "/v1/matches/{match}/rounds/1"),
    heavy("the round analysed", "/v1/matches/{match}/rounds/1/analysis"),
    heavy("what happened since", "/v1/matches/{match}/recap?after=5"),
    heavy("its record", "/v1/matches/{match}/record"),
    heavy("its record as text", "/v1/matches/{match}/record/text"),
    heavy("my history, of very many", "/v1/history?limit=20"),
    light("my history, of some", "/v1/history?limit=20"),
    heavy("what is over", "/v1/history?limit=20&status=finished"),
    heavy("what runs", "/v1/history?limit=20&status=running"),
    heavy("of a preset", "/v1/history?limit=20&preset=kluft"),
    heavy("of rules of one's own, which are rare", "/v1/history?limit=20&preset=custom"),
    light("of a rare preset, of some", "/v1/history?limit=20&preset=custom"),
    heavy("of no preset that was played", "/v1/history?limit=20&preset=dhumbal_jokers"),
    heavy("won", "/v1/history?limit=20&result=won"),
    heavy("lost", "/v1/history?limit=20&result=lost"),
    heavy("rated", "/v1/history?limit=20&rated=true"),
    heavy("with bots", "/v1/history?limit=20&bots=true"),
    heavy("against another of very many", "/v1/history?limit=20&opponent=player_1"),
    heavy("against one of some", "/v1/history?limit=20&opponent={light}"),
    heavy("a month, long ago", "/v1/history?limit=20&since={then}&until={later}"),
    heavy("rated, won and lost long ago", "/v1/history?limit=20&rated=true&result=lost&until={later}"),
    light("public ones of another player", "/v1/profiles/player_0/matches?limit=20"),
    light("of those, a rare preset", "/v1/profiles/player_0/matches?limit=20&preset=custom"),
    light("statistics of very many", "/v1/profiles/player_0/statistics"),
    light("the same of a preset", "/v1/profiles/player_0/statistics?preset=kluft&bots=false"),
    heavy("statistics of some", "/v1/profiles/{light}/statistics"),
    light("statistics by month, of very many", "/v1/profiles/player_0/statistics/months"),
    light("two of very many, head to head", "/v1/profiles/player_0/head-to-head/player_1"),
    light("two of some, head to head", "/v1/profiles/{light}/head-to-head/player_0"),
    light("statistics of the whole service", "/v1/statistics"),
    light("ratings", "/v1/profiles/player_0/ratings"),
    light("changes of a rating", "/v1/profiles/player_0/ratings/yaniv/changes?limit=20"),
    light("a leaderboard", "/v1/leaderboards/yaniv"),
    light("a leaderboard around a player", "/v1/leaderboards/yaniv/around/player_0"),
];

const fn heavy(name: &'static str, path: &'static str) -> Asked {
    Asked { name, path, who: Who::Heavy }
}

const fn light(name: &'static str, path: &'static str) -> Asked {
    Asked { name, path, who: Who::Light }
}

/// Lists that are read page by page while matches are inserted.
///
/// The path of a page, to which its cursor is appended, and whether matches are ordered by last change, so that one may
/// be listed twice.
pub const WALKED: [(&str, bool); 2] = [("/v1/matches?limit=100", true), ("/v1/history?limit=100", false)];
