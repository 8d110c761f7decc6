//! Everything about an account, in parts: one after the other as they are asked for, so that never more than one match is
//! in memory. Of a match it is what the account may see.

use std::collections::VecDeque;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_engine::Record;

use super::accounts::Account;
use super::asked_pairing::Pairing;
use super::calendars::OwnCalendar;
use super::challenge::Challenge;
use super::challenges::ChallengeQuery;
use super::history::replay_record;
use super::notices::{Channel, NoticeSettings};
use super::people::Person;
use super::personal_tokens::PersonalToken;
use super::placed_orders::{OwnOrders, orders_of};
use super::profiles::Profile;
use super::ratings::Rating;
use super::replay::names_of;
use super::sessions::OpenSession;
use super::turns::load_for;
use super::view::{LogEntry, MatchView};
use super::{ServiceError, Services};
use crate::auth::access::Access;
use crate::ids::MatchId;
use crate::store::actions::action_list;
use crate::store::pairings::{PairingRow, pairing_list_all};
use crate::store::seats::seat_match_list;
use crate::store::wishes::WishRow;

/// People, pairings or matches that are looked up at a time.
const AT_A_TIME: i64 = 100;

/// A part of an export. They come in this order; of the lists several, one at least but of matches.
pub enum ExportPart {
    /// The account itself.
    Account(Box<ExportedAccount>),
    /// Friends, and who is asked.
    Friends(Vec<Person>),
    /// Whom it has blocked.
    Blocks(Vec<Person>),
    /// Requests to be paired, with the client seeds that were given.
    Pairings(Vec<(Pairing, String)>),
    /// Challenges that are open, and those that were over lately.
    Challenges(Vec<Challenge>),
    /// A match that it has a seat in.
    Match(Box<ExportedMatch>),
}

/// The account itself, and what it may be got into by.
pub struct ExportedAccount {
    /// The account.
    pub account: Account,
    /// What others see of it.
    pub profile: Profile,
    /// When its clocks stand.
    pub calendar: OwnCalendar,
    /// When the export began.
    pub at: DateTime<Utc>,
    /// Where it is logged in.
    pub sessions: Vec<OpenSession>,
    /// Its personal tokens.
    pub tokens: Vec<PersonalToken>,
    /// Where it wants to be told.
    pub channels: Vec<Channel>,
    /// When it wants to be told.
    pub notice_settings: NoticeSettings,
    /// How strong it plays.
    pub ratings: Vec<Rating>,
    /// Its bots, with their tokens.
    pub bots: Vec<(Account, Vec<PersonalToken>)>,
}

/// A match, as the account may see it.
pub struct ExportedMatch {
    /// How it stands.
    pub view: MatchView,
    /// Its log.
    pub log: Vec<LogEntry>,
    /// The orders that it has placed last.
    pub orders: Option<OwnOrders>,
    /// Its record, once it has started.
    pub record: Option<Record>,
}

/// An export under way.
pub struct Export {
    services: Services,
    access: Access,
    stage: Stage,
}

enum Stage {
    Account,
    Friends(Option<String>),
    Blocks(Option<String>),
    Pairings(Uuid),
    Challenges(Option<String>),
    Matches { after: Uuid, found: VecDeque<Uuid> },
    Over,
}

impl Services {
    /// Begins to export the caller's account.
    pub fn export(&self, access: Access) -> Export {
        Export { services: self.clone(), access, stage: Stage::Account }
    }
}

impl Export {
    /// The next part, until there is none.
    ///
    /// # Errors
    /// Those of the database; `InvalidToken` if the account no longer exists, or what it was begun by has ended.
    pub async fn next(&mut self) -> Result<Option<ExportPart>, ServiceError> {
        let account = self.access.account;
        // It may take its time, and has to end with what it was begun by.
        self.services.check_access(&self.access)?;
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Account => {
                let part = self.account().await?;
                self.stage = Stage::Friends(None);
                Ok(Some(ExportPart::Account(Box::new(part))))
            }
            Stage::Friends(cursor) => {
                let page = self.services.friends(account, cursor.as_deref(), AT_A_TIME).await?;
                self.stage = page.next_cursor.map_or(Stage::Blocks(None), |next| Stage::Friends(Some(next)));
                Ok(Some(ExportPart::Friends(page.items)))
            }
            Stage::Blocks(cursor) => {
                let page = self.services.blocked(account, cursor.as_deref(), AT_A_TIME).await?;
                let next = |next| Stage::Blocks(Some(next));
                self.stage = page.next_cursor.map_or(Stage::Pairings(Uuid::nil()), next);
                Ok(Some(ExportPart::Blocks(page.items)))
            }
            Stage::Pairings(after) => self.pairings(after).await.map(Some),
            Stage::Challenges(cursor) => {
                let query = ChallengeQuery { cursor, limit: AT_A_TIME, ..ChallengeQuery::default() };
                let page = self.services.list_challenges(account, query).await?;
                let matches = Stage::Matches { after: Uuid::nil(), found: VecDeque::new() };
                self.stage = page.next_cursor.map_or(matches, |next| Stage::Challenges(Some(next)));
                Ok(Some(ExportPart::Challenges(page.items)))
            }
            Stage::Matches { after, found } => self.next_match(after, found).await,
            Stage::Over => Ok(None),
        }
    }

    async fn account(&self) -> Result<ExportedAccount, ServiceError> {
        let Self { services, access, .. } = self;
        let mut bots = Vec::new();
        for bot in services.bots(access.account).await? {
            let tokens = services.tokens(bot.id).await?;
            bots.push((bot, tokens));
        }
        Ok(ExportedAccount {
            account: services.account(access.account).await?,
            profile: services.own_profile(access.account).await?,
            calendar: services.calendar(access.account).await?,
            at: Utc::now(),
            sessions: services.sessions(access).await?,
            tokens: services.tokens(access.account).await?,
            channels: services.channels(access.account).await?,
            notice_settings: services.notice_settings(access.account).await?,
            ratings: services.own_ratings(access.account).await?,
            bots,
        })
    }

    async fn pairings(&mut self, after: Uuid) -> Result<ExportPart, ServiceError> {
        let (connection, now) = (self.services.store.connection().await?, Utc::now());
        let rows = pairing_list_all(&connection, self.access.account, after, AT_A_TIME).await?;
        let whole = i64::try_from(rows.len()).is_ok_and(|count| count >= AT_A_TIME);
        self.stage = match rows.last().filter(|_| whole) {
            Some((last, _)) => Stage::Pairings(last.id),
            None => Stage::Challenges(None),
        };
        let pairing = |(row, wish): &(PairingRow, WishRow)| {
            Ok((Pairing::new(row, wish, now)?, row.client_seed.clone()))
        };
        Ok(ExportPart::Pairings(rows.iter().map(pairing).collect::<Result<_, ServiceError>>()?))
    }

    async fn next_match(
        &mut self,
        mut after: Uuid,
        mut found: VecDeque<Uuid>,
    ) -> Result<Option<ExportPart>, ServiceError> {
        loop {
            if found.is_empty() {
                let connection = self.services.store.connection().await?;
                found = seat_match_list(&connection, self.access.account, after, AT_A_TIME).await?.into();
            }
            let Some(id) = found.pop_front() else { return Ok(None) };
            after = id;
            match self.exported_match(MatchId(id)).await {
                // Left meanwhile.
                Err(ServiceError::MatchNotFound) => {}
                other => {
                    self.stage = Stage::Matches { after, found };
                    return other.map(|exported| Some(ExportPart::Match(Box::new(exported))));
                }
            }
        }
    }

    async fn exported_match(&self, id: MatchId) -> Result<ExportedMatch, ServiceError> {
        let account = self.access.account;
        let place = self.services.replaying.place_behind().await?;
        let connection = self.services.store.connection().await?;
        let table = load_for(&connection, account, id).await?;
        let rows = action_list(&connection, id, 0, table.version, i64::MAX).await?;
        let names = names_of(&connection, &rows).await?;
        let orders = orders_of(&connection, account, &table).await?;
        drop(connection);
        let work = move || {
            let record = match table.game {
                Some(_) => Some(replay_record(&table, &rows)?.finish(table.seat_of(account))),
                None => None,
            };
            let log = LogEntry::all_for_viewer(&rows, &names, &table, account)?;
            Ok(ExportedMatch { log, view: MatchView::new(&table, account, Vec::new()), orders, record })
        };
        self.services.replaying.run(place, work).await
    }
}
