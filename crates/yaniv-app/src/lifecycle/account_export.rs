//! Export of all data of an account, in parts on demand, so that at most one match is in memory. Matches
//! appear as the account may see them.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::StoreError;
use yaniv_db::matches::seats::seat_match_list;
use yaniv_db::matchmaking::pairings::pairing_list_all;
use yaniv_engine::Record;
use yaniv_match::view::{LogEntry, MatchView};
use yaniv_model::ids::MatchId;

use crate::accounts::profiles::Profile;
use crate::accounts::register::Account;
use crate::accounts::relations::Person;
use crate::accounts::sessions::OpenSession;
use crate::accounts::tokens::PersonalToken;
use crate::calendar::queries::OwnCalendar;
use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::matches::fold_log::LogRange;
use crate::matchmaking::challenge_view::Challenge;
use crate::matchmaking::challenges::ChallengeQuery;
use crate::matchmaking::pairing_view::Pairing;
use crate::moderation::report::Report;
use crate::moderation::sanctions::Sanction;
use crate::notifications::{Channel, NotificationSettings};
use crate::passkeys::credentials::OwnPasskey;
use crate::ratings::queries::Rating;
use crate::turns::orders::{OwnOrders, orders_of};
use crate::turns::play::load_for;
use crate::{Page, ServiceError, Services};

/// Number of players, matchmaking requests or matches per query.
const AT_A_TIME: i64 = 100;

/// A part of an export, in this order. A list may take several parts, and at least one, except for matches.
pub enum ExportPart {
    /// The account itself.
    Account(Box<ExportedAccount>),
    /// Friends and friend requests.
    Friends(Vec<Person>),
    /// Blocked accounts.
    Blocks(Vec<Person>),
    /// Matchmaking requests, with the client seeds that were given.
    Pairings(Vec<(Pairing, String)>),
    /// Open and recently ended challenges.
    Challenges(Vec<Challenge>),
    /// What it has reported.
    Reports(Vec<Report>),
    /// What moderators have decided about it.
    Sanctions(Vec<Sanction>),
    /// A match in which it has a seat.
    Match(Box<ExportedMatch>),
    /// Matches in which it has a seat, and whose stored data is damaged. Comes last, and only if there are any.
    Unreadable(Vec<MatchId>),
}

/// The account itself, with its credentials.
pub struct ExportedAccount {
    /// The account.
    pub account: Account,
    /// Its public profile.
    pub profile: Profile,
    /// Its quiet hours and vacations.
    pub calendar: OwnCalendar,
    /// When the export began.
    pub at: DateTime<Utc>,
    /// Its sessions.
    pub sessions: Vec<OpenSession>,
    /// Its personal tokens.
    pub tokens: Vec<PersonalToken>,
    /// Its passkeys.
    pub passkeys: Vec<OwnPasskey>,
    /// Its notification channels.
    pub channels: Vec<Channel>,
    /// Its notification settings.
    pub notification_settings: NotificationSettings,
    /// Its ratings.
    pub ratings: Vec<Rating>,
    /// Its bots, with their tokens.
    pub bots: Vec<(Account, Vec<PersonalToken>)>,
}

/// A match as the account may see it.
pub struct ExportedMatch {
    /// Its current state.
    pub view: MatchView,
    /// Its log.
    pub log: Vec<LogEntry>,
    /// The account's latest standing orders.
    pub orders: Option<OwnOrders>,
    /// Its record, once it has started.
    pub record: Option<Record>,
}

/// An export in progress.
pub struct Export {
    services: Services,
    access: Access,
    stage: Stage,
    unreadable: Vec<MatchId>,
}

enum Stage {
    Account,
    Friends(Option<String>),
    Blocks(Option<String>),
    Pairings(Option<String>),
    Challenges(Option<String>),
    Reports(Option<String>),
    Sanctions(Option<String>),
    Matches { after: Uuid, found: VecDeque<Uuid> },
    Over,
}

impl Services {
    /// Starts an export of the caller's account.
    pub fn export(&self, access: Access) -> Export {
        Export { services: self.clone(), access, stage: Stage::Account, unreadable: Vec::new() }
    }
}

/// Whether stored data is at fault, not the database.
fn is_damage(error: &(dyn std::error::Error + 'static)) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::Damaged(_) | StoreError::NotFound))
}

impl Export {
    /// The next part; `None` at the end.
    ///
    /// # Errors
    /// Those of the database; `InvalidToken` if the account no longer exists, or the credential that started
    /// the export is revoked.
    #[boxed]
    pub async fn next(&mut self) -> Result<Option<ExportPart>, ServiceError> {
        let account = self.access.account;
        // An export may take long, and has to stop when its credential is revoked.
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
                self.stage = page.next_cursor.map_or(Stage::Pairings(None), next);
                Ok(Some(ExportPart::Blocks(page.items)))
            }
            Stage::Pairings(cursor) => {
                let page = self.pairings(cursor.as_deref()).await?;
                self.stage =
                    page.next_cursor.map_or(Stage::Challenges(None), |next| Stage::Pairings(Some(next)));
                Ok(Some(ExportPart::Pairings(page.items)))
            }
            Stage::Challenges(cursor) => {
                let query = ChallengeQuery { cursor, limit: AT_A_TIME, ..ChallengeQuery::default() };
                let page = self.services.list_challenges(account, query).await?;
                self.stage =
                    page.next_cursor.map_or(Stage::Reports(None), |next| Stage::Challenges(Some(next)));
                Ok(Some(ExportPart::Challenges(page.items)))
            }
            Stage::Reports(cursor) => {
                let page = self.services.own_reports(account, cursor.as_deref(), AT_A_TIME).await?;
                self.stage =
                    page.next_cursor.map_or(Stage::Sanctions(None), |next| Stage::Reports(Some(next)));
                Ok(Some(ExportPart::Reports(page.items)))
            }
            Stage::Sanctions(cursor) => {
                let page = self.services.sanctions(account, cursor.as_deref(), AT_A_TIME).await?;
                let matches = Stage::Matches { after: Uuid::nil(), found: VecDeque::new() };
                self.stage = page.next_cursor.map_or(matches, |next| Stage::Sanctions(Some(next)));
                Ok(Some(ExportPart::Sanctions(page.items)))
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
            passkeys: services.passkeys(access.account).await?,
            channels: services.channels(access.account).await?,
            notification_settings: services.notification_settings(access.account).await?,
            ratings: services.own_ratings(access.account).await?,
            bots,
        })
    }

    async fn pairings(&self, cursor: Option<&str>) -> Result<Page<(Pairing, String)>, ServiceError> {
        let asked = PageQuery::new(cursor, AT_A_TIME)?;
        let (connection, now) = (self.services.store.connection().await?, Utc::now());
        let after = asked.after.unwrap_or_default();
        let rows = pairing_list_all(&connection, self.access.account, after, asked.rows()).await?;
        let page = asked.page(rows, |(row, _)| row.id);
        page.try_map(|(row, wish)| Ok((Pairing::new(&row, &wish, now)?, row.client_seed)))
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
            let Some(id) = found.pop_front() else {
                let unreadable = std::mem::take(&mut self.unreadable);
                return Ok((!unreadable.is_empty()).then_some(ExportPart::Unreadable(unreadable)));
            };
            after = id;
            match self.exported_match(MatchId(id)).await {
                // The caller has left the match meanwhile.
                Err(ServiceError::MatchNotFound) => {}
                Err(ServiceError::Internal(error)) if is_damage(error.as_ref()) => {
                    tracing::error!(match_id = %id, %error, "a match cannot be exported");
                    self.unreadable.push(MatchId(id));
                }
                other => {
                    self.stage = Stage::Matches { after, found };
                    return other.map(|exported| Some(ExportPart::Match(Box::new(exported))));
                }
            }
        }
    }

    async fn exported_match(&self, id: MatchId) -> Result<ExportedMatch, ServiceError> {
        let account = self.access.account;
        let services = &self.services;
        let place = services.replay_pool.place_behind().await?;
        let connection = services.store.connection().await?;
        let state = Arc::new(load_for(&connection, account, id).await?);
        let orders = orders_of(&connection, account, &state).await?;
        drop(connection);
        let record = match state.game() {
            Some(_) => {
                Some(services.replay_record(&place, &state, account).await?.finish(state.seat_of(account)))
            }
            None => None,
        };
        let range = LogRange { id, after: 0, up_to: state.version() };
        let log = (Arc::clone(&state), Vec::new());
        let (_, log) = services
            .work_through(&place, range, log, move |(state, log), events, names| {
                log.extend(LogEntry::all_for_viewer(events, names, state, account));
                Ok(ControlFlow::Continue(()))
            })
            .await?;
        Ok(ExportedMatch { log, view: MatchView::new(&state, account, Vec::new()), orders, record })
    }
}
