//! Automatic marks: reports that the service makes itself, for people to look at. They change nothing else.
//!
//! They come from reply times, results of rated matches, and browsers that two accounts have used. Every instance looks from
//! time to time; two that look at once make one report (a unique index). Figures about false marks:
//! `docs/operations/moderation.md`.

use std::time::Duration;

use chrono::DateTime;
use uuid::Uuid;
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::moderation::marks::{
    FastPlayer, OneBrowser, OneSided, fast_player_list, one_browser_list, one_sided_list,
    shared_browser_sweep,
};
use yaniv_db::moderation::reports::{ABOUT_MATCH, ABOUT_PLAYER, ReportRow, report_insert_in_txn};
use yaniv_db::{Connection, Transactions};
use yaniv_engine::Preset;

use crate::kernel::worker::{Next, Work};
use crate::moderation::report::Reason;
use crate::{ServiceError, Services};

/// Minimum time between two looks; at most half as long again, to keep instances out of step.
const PERIOD: Duration = Duration::from_secs(6 * 3600);
/// Replies of a person before they are looked at, and the percentage of fast ones: no person thinks like
/// that.
const REPLIES: (i64, i64) = (500, 95);
/// Rated matches of a pair before they are looked at.
const TOGETHER: i64 = 20;
/// Rated matches of two who have used one browser before they are looked at: a family tries it once.
const OF_ONE_BROWSER: i64 = 5;

/// One run is a look at all.
struct Marks(Services);

impl Work for Marks {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let mut connection = self.0.store.connection().await?;
        let (least, percent) = REPLIES;
        let mut found: Vec<ReportRow> =
            fast_player_list(&connection, least, percent).await?.into_iter().map(of_fast_player).collect();
        let presets: Vec<&str> = Preset::ALL.iter().map(|preset| preset.as_str()).collect();
        shared_browser_sweep(&connection).await?;
        let of_one_browser = one_browser_list(&connection, &presets, OF_ONE_BROWSER).await?;
        // An account gets one of several marks of a reason, the first.
        found.extend(of_one_browser.into_iter().map(of_browser));
        found.extend(one_sided_list(&connection, &presets, TOGETHER).await?.into_iter().map(of_one_sided));
        for new in found {
            let account = new.subject_id;
            // One that fails does not keep the others back; the next look finds it again.
            if let Err(error) = connection.transaction(async |connection| store(connection, new).await).await
            {
                tracing::warn!(%error, %account, "an account could not be marked");
            }
        }
        Ok(Next::Period)
    }
}

impl Services {
    /// Starts the worker of the marks.
    pub(crate) fn start_marks(&self) {
        self.worker("automatic marks", PERIOD).with_jitter(0.5).start(&self.runtime, Marks(self.clone()));
    }
}

async fn store(connection: &Connection, new: ReportRow) -> Result<(), ServiceError> {
    let Some(row) = account_keep_in_txn(connection, &[new.subject_id]).await?.pop() else { return Ok(()) };
    let seen_text = row.display_name.unwrap_or(row.username);
    let new = ReportRow { seen_text, created_at: clock_read(connection).await?, ..new };
    report_insert_in_txn(connection, &new).await?;
    Ok(())
}

fn of_fast_player(found: FastPlayer) -> ReportRow {
    let FastPlayer { account, replies, fast } = found;
    let comment =
        format!("{fast} of {replies} replies within two seconds, since the start of the previous month");
    mark(account, ABOUT_PLAYER, Reason::UndeclaredBot, None, comment)
}

fn of_one_sided(found: OneSided) -> ReportRow {
    let OneSided { account, wins, match_id, together, won, all } = found;
    let result = if wins { "won" } else { "lost" };
    // The other is not named: the names go with the accounts, this text does not. Both reports have the same
    // match.
    let comment = format!(
        "{result} {won} of {together} rated matches of two in 90 days against one player, of {all} rated matches \
         in all; the report of the other player names the same match"
    );
    mark(account, ABOUT_MATCH, Reason::Collusion, Some(match_id), comment)
}

fn of_browser(found: OneBrowser) -> ReportRow {
    let OneBrowser { account, match_id, together } = found;
    let comment = format!(
        "has used the same browser as a player with whom it has {together} rated matches in 90 days; the report of the \
         other player names the same match"
    );
    mark(account, ABOUT_MATCH, Reason::Collusion, Some(match_id), comment)
}

fn mark(account: Uuid, about: &str, reason: Reason, match_id: Option<Uuid>, comment: String) -> ReportRow {
    ReportRow {
        id: Uuid::now_v7(),
        reporter_id: None,
        subject_id: account,
        about: about.to_owned(),
        reason: reason.as_str().to_owned(),
        match_id,
        round: None,
        comment,
        seen_text: String::new(),
        automatic: true,
        created_at: DateTime::UNIX_EPOCH,
        closed_at: None,
        decision_id: None,
    }
}
