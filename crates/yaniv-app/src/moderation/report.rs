//! Reports of players. The service itself reads what is reported: no client can invent evidence.
//!
//! Who may not see a thing may not report it either, and gets the answer for one that does not exist.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_rows::{
    AccountRow, account_find_by_username, account_keep_in_txn, username_map,
};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::moderation::decisions::KIND_DISMISSAL;
use yaniv_db::moderation::reports::{
    ABOUT_DEDICATION, ABOUT_MATCH, ABOUT_NAME, ABOUT_PLAYER, ReportRow, ReportWithDecision, report_find_same,
    report_insert_in_txn, report_list_of_reporter,
};
use yaniv_db::{Connection, Transactions};
use yaniv_engine::Seat;
use yaniv_model::ids::{AccountId, MatchId};

use crate::accounts::names::check_text;
use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::{Page, ServiceError, Services};

/// Maximum length of a comment, in characters.
const LONGEST_COMMENT: usize = 500;

/// Why something is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Unfair play.
    Cheating,
    /// Two players play for one of them.
    Collusion,
    /// A program that does not say so.
    UndeclaredBot,
    /// Conduct against a player.
    Harassment,
    /// A name.
    OffensiveName,
    /// A dedication.
    OffensiveText,
    /// Another reason, which the comment has.
    Other,
}

impl Reason {
    /// Code on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cheating => "cheating",
            Self::Collusion => "collusion",
            Self::UndeclaredBot => "undeclared_bot",
            Self::Harassment => "harassment",
            Self::OffensiveName => "offensive_name",
            Self::OffensiveText => "offensive_text",
            Self::Other => "other",
        }
    }
}

/// Words of a report.
#[derive(Clone, Debug)]
pub struct Complaint {
    /// The reason.
    pub reason: Reason,
    /// What the reporter adds; may be empty.
    pub comment: String,
}

/// A report as its reporter sees it.
#[derive(Clone, Debug)]
pub struct Report {
    /// Identifier.
    pub id: Uuid,
    /// `player`, `name`, `dedication` or `match`.
    pub about: String,
    /// Code of the reason.
    pub reason: String,
    /// Name of the account that it is about.
    pub username: String,
    /// The match, if it is about one.
    pub match_id: Option<Uuid>,
    /// The round of the dedication.
    pub round: Option<i16>,
    /// What the reporter added.
    pub comment: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// Where it stands.
    pub state: ReportState,
}

/// Where a report stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportState {
    /// It waits for a moderator.
    Open,
    /// A moderator saw no reason to act, or the account is gone.
    Dismissed,
    /// A moderator has acted.
    ActedOn,
}

impl ReportState {
    /// Code on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Dismissed => "dismissed",
            Self::ActedOn => "acted_on",
        }
    }

    fn of((row, decision): &ReportWithDecision) -> Self {
        let acts = decision
            .as_ref()
            .is_some_and(|decision| decision.kind != KIND_DISMISSAL && decision.undone_at.is_none());
        match row.closed_at {
            None => Self::Open,
            Some(_) if acts => Self::ActedOn,
            Some(_) => Self::Dismissed,
        }
    }
}

impl Report {
    pub(crate) fn new(found: &ReportWithDecision, username: String) -> Self {
        let row = &found.0;
        Self {
            id: row.id,
            about: row.about.clone(),
            reason: row.reason.clone(),
            username,
            match_id: row.match_id,
            round: row.round,
            comment: row.comment.clone(),
            created_at: row.created_at,
            state: ReportState::of(found),
        }
    }
}

/// What is reported.
#[derive(Clone)]
enum Matter {
    Player,
    Play(MatchId),
    Dedication(MatchId, i16, String),
}

impl Services {
    /// Reports a player, or the name if that is the reason.
    ///
    /// # Errors
    /// `AccountNotFound`, `OwnAccount`, `InvalidField`.
    #[boxed]
    pub async fn report_player(
        &self,
        reporter: AccountId,
        username: &str,
        complaint: Complaint,
    ) -> Result<Report, ServiceError> {
        let subject = account_find_by_username(&*self.store.connection().await?, username).await?;
        let subject = AccountId(subject.ok_or(ServiceError::AccountNotFound)?.id);
        self.store_report(reporter, subject, Matter::Player, complaint).await
    }

    /// Reports the play of a player in a match.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read it; `PlayerNotFound`, `OwnAccount`, `InvalidField`.
    #[boxed]
    pub async fn report_match(
        &self,
        reporter: AccountId,
        id: MatchId,
        username: &str,
        complaint: Complaint,
    ) -> Result<Report, ServiceError> {
        let state = self.match_to_read(reporter, id).await?;
        let player = state.players().iter().find(|player| player.username == username);
        let subject = player.ok_or(ServiceError::PlayerNotFound)?.account;
        self.store_report(reporter, subject, Matter::Play(id), complaint).await
    }

    /// Reports a dedication.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read it; `RoundNotFound`; `DedicationNotFound` unless the caller
    /// sees it; `OwnAccount`, `InvalidField`.
    #[boxed]
    pub async fn report_dedication(
        &self,
        reporter: AccountId,
        id: MatchId,
        round: u16,
        complaint: Complaint,
    ) -> Result<Report, ServiceError> {
        let state = self.match_to_read(reporter, id).await?;
        if round == 0 || state.game().is_none_or(|game| game.round() < round) {
            return Err(ServiceError::RoundNotFound);
        }
        let seen = state.dedication_of_round(round.into(), reporter);
        let seen = seen.ok_or(ServiceError::DedicationNotFound)?;
        let dealer = u8::try_from(seen.seat).ok().and_then(|seat| state.player(Seat::new(seat)));
        let subject = dealer.ok_or(ServiceError::DedicationNotFound)?.account;
        let matter = Matter::Dedication(id, seen.round, seen.text.clone());
        self.store_report(reporter, subject, matter, complaint).await
    }

    /// The caller's reports, newest first.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn own_reports(
        &self,
        reporter: AccountId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<Report>, ServiceError> {
        let asked = PageQuery::new(cursor, limit)?;
        let connection = self.store.connection().await?;
        let before = asked.after.unwrap_or(Uuid::max());
        let rows = report_list_of_reporter(&connection, reporter, before, asked.rows()).await?;
        let page = asked.page(rows, |(row, _)| row.id);
        let ids: Vec<Uuid> = page.items.iter().map(|(row, _)| row.subject_id).collect();
        let names = username_map(&connection, &ids).await?;
        Ok(page.map(|found| {
            let name = names.get(&found.0.subject_id).map(|name| name.username.clone());
            Report::new(&found, name.unwrap_or_default())
        }))
    }

    /// Stores a report, unless the reporter has an open one about the same.
    async fn store_report(
        &self,
        reporter: AccountId,
        subject: AccountId,
        matter: Matter,
        complaint: Complaint,
    ) -> Result<Report, ServiceError> {
        if subject == reporter {
            return Err(ServiceError::OwnAccount);
        }
        if !complaint.comment.is_empty() {
            check_text("comment", &complaint.comment, LONGEST_COMMENT)?;
        }
        self.durably(true, false, move |mut connection, _| {
            let (matter, complaint) = (matter.clone(), complaint.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        store(connection, (reporter, subject), matter, complaint).await
                    })
                    .await
            }
        })
        .await
    }
}

async fn store(
    connection: &Connection,
    (reporter, subject): (AccountId, AccountId),
    matter: Matter,
    complaint: Complaint,
) -> Result<Report, ServiceError> {
    let mut kept = account_keep_in_txn(connection, &[reporter.0, subject.0]).await?;
    if !kept.iter().any(|row| row.id == reporter.0) {
        return Err(ServiceError::InvalidToken);
    }
    kept.retain(|row| row.id == subject.0);
    let row = kept.pop().ok_or(ServiceError::AccountNotFound)?;
    let new =
        ReportRow { created_at: clock_read(connection).await?, ..draft(reporter, &row, matter, complaint) };
    let stored = if report_insert_in_txn(connection, &new).await? {
        new
    } else {
        // Closed meanwhile: the next try stores another.
        report_find_same(connection, &new).await?.ok_or(ServiceError::Raced)?
    };
    Ok(Report::new(&(stored, None), row.username))
}

fn draft(reporter: AccountId, subject: &AccountRow, matter: Matter, complaint: Complaint) -> ReportRow {
    let about = match (&matter, complaint.reason) {
        (Matter::Player, Reason::OffensiveName) => ABOUT_NAME,
        (Matter::Player, _) => ABOUT_PLAYER,
        (Matter::Play(_), _) => ABOUT_MATCH,
        (Matter::Dedication(..), _) => ABOUT_DEDICATION,
    };
    let shown = || subject.display_name.clone().unwrap_or_else(|| subject.username.clone());
    let (match_id, round, seen_text) = match matter {
        Matter::Player => (None, None, shown()),
        Matter::Play(id) => (Some(id.0), None, shown()),
        Matter::Dedication(id, round, text) => (Some(id.0), Some(round), text),
    };
    ReportRow {
        id: Uuid::now_v7(),
        reporter_id: Some(reporter.0),
        subject_id: subject.id,
        about: about.to_owned(),
        reason: complaint.reason.as_str().to_owned(),
        match_id,
        round,
        comment: complaint.comment,
        seen_text,
        automatic: false,
        created_at: DateTime::UNIX_EPOCH,
        closed_at: None,
        decision_id: None,
    }
}
