//! Times of the hot statements, by the service's own functions on its own connections.
//!
//! Matches are picked from all that are stored, so each of them is on other pages: the worst case. Those that people
//! play are mostly recent, and stored close together.

use std::time::{Duration, Instant};

use chrono::DateTime;
use diesel_async::AsyncPgConnection;
use tokio_postgres::Client;
use uuid::Uuid;
use yaniv_db::lobby::join_codes::match_id_find_by_code;
use yaniv_db::matches::dedications::HIDING;
use yaniv_db::matches::list::match_list;
use yaniv_db::matches::load::match_load;
use yaniv_db::matches::log::action_list;
use yaniv_db::matches::seats::seat_list;
use yaniv_db::matches::versions::match_version_list;
use yaniv_db::turns::append_actions::{ActionSave, EndedRound, SaveTiming, SavedEntry, actions_append};
use yaniv_model::ids::{AccountId, MatchId};
use yaniv_model::match_version::MatchVersion;

use crate::Error;
use crate::player::Random;

/// A round ends every this many actions.
const ROUND: i32 = 12;
/// Page size of a list of matches, plus one.
const PAGE: i64 = 21;

/// A match in play: what is needed to store an action.
#[derive(Clone, Debug)]
pub struct Live {
    id: Uuid,
    stands_at: MatchVersion,
    state: Vec<u8>,
}

/// Arguments of the statements.
#[derive(Clone, Debug)]
pub struct Subjects {
    /// Matches in play, shuffled.
    pub live: Vec<Live>,
    /// Any matches.
    any: Vec<Uuid>,
    /// Match codes.
    codes: Vec<String>,
    /// An account with very many matches, and an ordinary one.
    accounts: [AccountId; 2],
    /// A result of a round.
    result: Option<String>,
    /// Number of the next round that ends.
    round: i16,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// `actions_append` of this many matches.
    Save(usize),
    /// `match_load` of a match in play.
    LoadLive,
    /// `match_load` of any match.
    LoadAny,
    /// `match_version_list` of this many.
    Versions(usize),
    /// `match_list`, the first page of an ordinary account.
    List,
    /// The same of a very active account.
    LongList,
    /// `seat_list` of such a page.
    Seats,
    /// `action_list`, the newest three.
    Log,
    /// `match_id_find_by_code`.
    Code,
}

/// All statements, with how often each is timed.
pub const ALL: [(Asked, usize); 10] = [
    (Asked::Save(1), 1_500),
    (Asked::Save(32), 400),
    (Asked::LoadLive, 1_500),
    (Asked::LoadAny, 1_500),
    (Asked::Versions(64), 500),
    (Asked::List, 300),
    (Asked::LongList, 20),
    (Asked::Seats, 500),
    (Asked::Log, 1_500),
    (Asked::Code, 1_500),
];

impl Asked {
    /// In words.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Save(count) => format!("`actions_append`, {count}"),
            Self::LoadLive => "`match_load`, in play".to_owned(),
            Self::LoadAny => "`match_load`, any".to_owned(),
            Self::Versions(count) => format!("`match_version_list`, {count}"),
            Self::List => format!("`match_list`, of {}", super::fill::LIGHT),
            Self::LongList => format!("`match_list`, of {}", super::fill::HEAVY),
            Self::Seats => "`seat_list` of 20".to_owned(),
            Self::Log => "`action_list`, newest 3".to_owned(),
            Self::Code => "`match_id_find_by_code`".to_owned(),
        }
    }

    /// Whether it runs on the dedicated connection, where statements are planned once.
    #[must_use]
    pub fn has_a_lane(self) -> bool {
        matches!(self, Self::Save(_) | Self::Versions(_))
    }
}

impl Subjects {
    /// Picks them from the database.
    ///
    /// # Errors
    /// If the database cannot be asked.
    pub async fn find(client: &Client) -> Result<Self, Error> {
        let live = format!(
            "SELECT s.match_id::text, version, gifts, state,
            (extract(epoch FROM s.updated_at) * 1000000)::bigint, {HIDING} FROM growth.picked JOIN match_states s
            ON s.match_id = id WHERE live ORDER BY md5(id::text)"
        );
        let mut found = Vec::new();
        for row in client.query(&live, &[]).await? {
            let id: String = row.try_get(0)?;
            let updated_at =
                DateTime::from_timestamp_micros(row.try_get(4)?).ok_or("a time out of bounds")?;
            let (version, dedications, hiding) = (row.try_get(1)?, row.try_get(2)?, row.try_get(5)?);
            let stands_at = MatchVersion { version, dedications, updated_at, hiding };
            found.push(Live { id: id.parse()?, stands_at, state: row.try_get(3)? });
        }
        let any = "SELECT m.id::text, code FROM growth.picked JOIN matches m USING (id) WHERE NOT live
            ORDER BY md5(m.id::text)";
        let (mut ids, mut codes) = (Vec::new(), Vec::new());
        for row in client.query(any, &[]).await? {
            let id: String = row.try_get(0)?;
            ids.push(id.parse()?);
            codes.push(row.try_get(1)?);
        }
        let account = async |name: &str| -> Result<AccountId, Error> {
            let sql = "SELECT id::text FROM growth.known WHERE name = $1";
            let id: String = client.query_one(sql, &[&name]).await?.try_get(0)?;
            Ok(AccountId(id.parse()?))
        };
        let result = "SELECT result::text FROM growth.rounds WHERE result IS NOT NULL LIMIT 1";
        let result = client.query_opt(result, &[]).await?.map(|row| row.try_get(0)).transpose()?;
        let newest = "SELECT (coalesce(max(round), 0) + 100)::smallint FROM growth.rounds";
        let round = client.query_one(newest, &[]).await?.try_get(0)?;
        let accounts = [account("heavy").await?, account("light").await?];
        Ok(Self { live: found, any: ids, codes, accounts, result, round })
    }

    /// The next actions of matches in play.
    fn saves(&self, at: usize, count: usize) -> Vec<ActionSave> {
        self.live.iter().cycle().skip(at).take(count).map(|live| self.save(live)).collect()
    }

    fn save(&self, live: &Live) -> ActionSave {
        let version = live.stands_at.version;
        let ends = version % ROUND == 0;
        let round = self.round.saturating_add(i16::try_from(version / ROUND).unwrap_or_default());
        let ended = ends.then(|| EndedRound { starter: 0, result: self.result.clone() });
        ActionSave {
            match_id: live.id,
            read: live.stands_at,
            state: live.state.clone(),
            waiting_on: 1,
            finished: false,
            seat: 1,
            round,
            key_hash: Some(i64::from(version).wrapping_mul(0x09e3_779b_97f4_a7c1)),
            fingerprint: Some(7),
            clocks: None,
            timing: SaveTiming::default(),
            entry: SavedEntry { detail: "9C9D+#".to_owned(), drew: Some(vec![12]), flags: 0 },
            slam: None,
            ended,
        }
    }

    /// Stores the next actions of this many matches, starting at an index; returns how long it took.
    ///
    /// # Errors
    /// If the database refuses one.
    pub async fn act(
        &mut self,
        connection: &AsyncPgConnection,
        at: usize,
        count: usize,
    ) -> Result<Duration, Error> {
        let saves = self.saves(at, count);
        let saves: Vec<&ActionSave> = saves.iter().collect();
        let begun = Instant::now();
        let saved = actions_append(connection, &saves).await?;
        let took = begun.elapsed();
        let length = self.live.len().max(1);
        for (number, saved) in (at..at + count).zip(saved) {
            let stored_at = saved.ok_or("an action was not stored")?;
            if let Some(live) = self.live.get_mut(number % length) {
                live.stands_at.version += 1;
                live.stands_at.updated_at = stored_at;
            }
        }
        Ok(took)
    }

    /// Runs a statement once; returns how long it took.
    ///
    /// # Errors
    /// Those of the database, and wrong answers.
    pub async fn ask(
        &mut self,
        connection: &AsyncPgConnection,
        asked: Asked,
        random: &mut Random,
    ) -> Result<Duration, Error> {
        if let Asked::Save(count) = asked {
            let at = random.below(self.live.len());
            return self.act(connection, at, count).await;
        }
        let any = self.any.get(random.below(self.any.len())).copied().ok_or("no matches")?;
        let live = self.live.get(random.below(self.live.len())).ok_or("no matches in play")?;
        let ids = |count: usize| -> Vec<Uuid> {
            let at = random.clone().below(self.live.len());
            self.live.iter().cycle().skip(at).take(count).map(|live| live.id).collect()
        };
        let [heavy, light] = self.accounts;
        let begun = Instant::now();
        let right = match asked {
            Asked::Save(_) => true,
            Asked::LoadLive => match_load(connection, MatchId(live.id)).await?.is_some(),
            Asked::LoadAny => match_load(connection, MatchId(any)).await?.is_some(),
            Asked::Versions(count) => {
                match_version_list(connection, &ids(count)).await?.iter().all(Option::is_some)
            }
            Asked::List => !match_list(connection, light, None, None, PAGE).await?.is_empty(),
            Asked::LongList => !match_list(connection, heavy, None, None, PAGE).await?.is_empty(),
            Asked::Seats => seat_list(connection, &ids(20)).await?.len() == 40,
            Asked::Log => {
                let rows = action_list(
                    connection,
                    MatchId(live.id),
                    live.stands_at.version - 3,
                    live.stands_at.version,
                    100,
                );
                rows.await?.len() == 3
            }
            Asked::Code => {
                let code = self.codes.get(random.below(self.codes.len())).ok_or("no codes")?;
                match_id_find_by_code(connection, code).await?.is_some()
            }
        };
        let took = begun.elapsed();
        if right { Ok(took) } else { Err(format!("{}: not the right answer", asked.name()).into()) }
    }
}
