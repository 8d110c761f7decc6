//! Commands on reports and moderators: `yaniv admin reports`, `yaniv admin moderators`.

use chrono::{DateTime, Utc};
use clap::builder::PossibleValue;
use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};
use uuid::Uuid;
use yaniv_app::admin::moderation::AdminModerator;
use yaniv_app::admin::session::Admin;
use yaniv_app::moderation::decision::{Decision, DecisionKind};
use yaniv_app::moderation::queue::{QueueQuery, QueuedReport};

use super::print::{Said, password, set, time};
use super::{AnyError, time_or_day};

/// Commands on reports.
#[derive(Debug, Subcommand)]
pub enum ReportsCommand {
    /// List the open reports, oldest first.
    List {
        /// List the closed ones instead, newest first.
        #[arg(long)]
        closed: bool,
        /// Only reports after this one in the list.
        #[arg(long, value_name = "REPORT")]
        after: Option<Uuid>,
        /// Maximum number of reports.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Show a report, with what was decided.
    Show {
        /// Identifier of the report.
        id: Uuid,
    },
    /// Decide a report, and the open reports of others about the same. The player sees the --reason, which
    /// all but a dismissal need.
    Decide {
        /// Identifier of the report.
        id: Uuid,
        /// What is decided.
        kind: Kind,
        /// End of a mute or suspension (UTC), as 2026-12-24 or 2026-12-24T18:00:00Z; a mute needs one.
        #[arg(long, value_name = "TIME", value_parser = time_or_day)]
        until: Option<DateTime<Utc>>,
    },
    /// Undo the decision of a report: ends a mute or suspension, gives back what was removed.
    Undo {
        /// Identifier of the report.
        id: Uuid,
    },
}

/// Commands on moderators.
#[derive(Debug, Subcommand)]
pub enum ModeratorsCommand {
    /// List the moderators by name.
    List,
    /// Let an account create personal tokens with the scope `moderate`.
    Add {
        /// Username.
        username: String,
    },
    /// Take the role away, and revoke these tokens.
    Remove {
        /// Username.
        username: String,
    },
}

/// A kind of decision, as an argument.
#[derive(Clone, Copy, Debug)]
pub struct Kind(DecisionKind);

impl ValueEnum for Kind {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: &[Kind] = &[
            Kind(DecisionKind::Dismissal),
            Kind(DecisionKind::Warning),
            Kind(DecisionKind::Mute),
            Kind(DecisionKind::Suspension),
            Kind(DecisionKind::DedicationRemoval),
            Kind(DecisionKind::NameRemoval),
        ];
        ALL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.as_str()))
    }
}

pub(super) async fn on_reports(admin: &Admin, command: &ReportsCommand) -> Result<Said, AnyError> {
    Ok(match command {
        ReportsCommand::List { closed, after, limit } => {
            let cursor = after.map(|after| after.simple().to_string());
            let page = admin.reports(&QueueQuery { closed: *closed, cursor, limit: *limit }).await?;
            Said::list(page.items.into_iter().map(report).collect(), "no reports")
        }
        ReportsCommand::Show { id } => report(admin.report(*id).await?),
        ReportsCommand::Decide { id, kind, until } => {
            decision(admin.decide_report(*id, kind.0, *until).await?)
        }
        ReportsCommand::Undo { id } => decision(admin.undo_decision(*id).await?),
    })
}

pub(super) async fn on_moderators(admin: &Admin, command: &ModeratorsCommand) -> Result<Said, AnyError> {
    Ok(match command {
        ModeratorsCommand::List => {
            let moderators = admin.moderators().await?;
            Said::list(moderators.into_iter().map(moderator).collect(), "no moderators")
        }
        ModeratorsCommand::Add { username } => {
            admin.add_moderator(username).await?;
            password(username, "a moderator", None)
        }
        ModeratorsCommand::Remove { username } => {
            let revoked = admin.remove_moderator(username).await?;
            let text = format!("{username}: no moderator; tokens revoked {revoked}\n");
            Said {
                text,
                json: json!({"username": username, "done": "no moderator", "personal_tokens": revoked}),
            }
        }
    })
}

fn moderator(AdminModerator { username, added_at }: AdminModerator) -> Said {
    let text = format!("{username:20} since {}\n", time(added_at));
    Said { text, json: json!({"username": username, "added_at": time(added_at)}) }
}

fn report(queued: QueuedReport) -> Said {
    let QueuedReport { report, reporter, automatic, seen_text, closed_at, decision: decided } = queued;
    let by = reporter.as_deref().unwrap_or(if automatic { "the service" } else { "nobody left" });
    let mut text = format!(
        "{}  {}  {} of {} ({}), by {by}",
        report.id,
        time(report.created_at),
        report.about,
        report.username,
        report.reason
    );
    let mut json = json!({
        "report_id": report.id,
        "about": report.about,
        "reason": report.reason,
        "username": report.username,
        "created_at": time(report.created_at),
        "state": report.state.as_str(),
        "automatic": automatic,
    });
    if let Some(match_id) = report.match_id {
        text.push_str(&format!(", match {match_id}"));
        set(&mut json, "match_id", json!(match_id));
    }
    if let Some(round) = report.round {
        text.push_str(&format!(", round {round}"));
        set(&mut json, "round", json!(round));
    }
    text.push('\n');
    for (name, words) in [("seen_text", &seen_text), ("comment", &report.comment)] {
        if !words.is_empty() {
            text.push_str(&format!("    {name}: {words}\n"));
            set(&mut json, name, json!(words));
        }
    }
    for (name, value) in
        [("reporter", reporter.map(Value::from)), ("closed_at", closed_at.map(|at| json!(time(at))))]
    {
        if let Some(value) = value {
            set(&mut json, name, value);
        }
    }
    if let Some(Said { text: of_decision, json: value }) = decided.map(decision) {
        text.push_str(&format!("    {of_decision}"));
        set(&mut json, "decision", value);
    }
    Said { text, json }
}

fn decision(decision: Decision) -> Said {
    let Decision {
        id, username, kind, reason, until, removed_text, decided_at, moderator, undone_at, ..
    } = decision;
    let mut text = format!("{}  {kind} for {username}", time(decided_at));
    let mut json =
        json!({"decision_id": id, "username": username, "kind": kind, "decided_at": time(decided_at)});
    let times = [("until", until), ("undone_at", undone_at)];
    for (name, at) in times.into_iter().filter_map(|(name, at)| Some((name, at?))) {
        text.push_str(&format!(", {name} {}", time(at)));
        set(&mut json, name, json!(time(at)));
    }
    let words = [("moderator", moderator), ("removed_text", removed_text), ("reason", Some(reason))];
    for (name, words) in words.into_iter().filter_map(|(name, words)| Some((name, words?))) {
        if !words.is_empty() {
            text.push_str(&format!(", {name}: {words}"));
            set(&mut json, name, json!(words));
        }
    }
    text.push('\n');
    Said { text, json }
}
