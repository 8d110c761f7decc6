//! The administrator's command line: `yaniv admin`.
//!
//! Works directly on the database; a running service notices within a second. The commands are implemented in
//! `yaniv_app::admin`; output is in `print`, `yaniv fsck` in `fsck`, reports and moderators in `moderation`.

pub(crate) mod database;
pub mod fsck;
pub mod moderation;
mod print;

use std::io::BufRead;
use std::path::PathBuf;
use std::process::Command;

use chrono::{DateTime, NaiveTime, Utc};
use clap::{Args, Subcommand};
use database::on_database;
use moderation::{ModeratorsCommand, ReportsCommand, on_moderators, on_reports};
use tokio::runtime::Handle;
use uuid::Uuid;
use yaniv_app::admin::session::Admin;
use yaniv_db::Store;
use yaniv_db::kernel::migrations;
use yaniv_model::times::{parse_day, parse_time};

use crate::config::Secret;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Options shared by all admin commands.
#[derive(Debug, Args)]
pub struct AdminOptions {
    /// The command.
    #[command(subcommand)]
    pub command: AdminCommand,
    /// Name of the administrator in the audit log; without it, the user of the operating system.
    #[arg(long = "as", value_name = "NAME", global = true)]
    pub acting_as: Option<String>,
    /// Reason in the audit log; of a suspension or a decision on a report, the player sees it, too.
    #[arg(long, value_name = "TEXT", global = true)]
    pub reason: Option<String>,
    /// Print JSON.
    #[arg(long, global = true)]
    pub json: bool,
    /// Database URL, as postgres://…; without it, the embedded PostgreSQL with its data in the directory
    /// `YANIV_DATA_DIR`.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,
}

/// Admin commands.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Accounts: list, show, create, reset passwords, suspend, restore, revoke.
    #[command(subcommand)]
    Accounts(AccountsCommand),
    /// Invitations to register, for a service that requires them (`YANIV_SIGN_UP=invitation`).
    #[command(subcommand)]
    Invitations(InvitationsCommand),
    /// Matches: remove text written by players, delete old ones.
    #[command(subcommand)]
    Matches(MatchesCommand),
    /// Reports of players: list, show, decide, undo.
    #[command(subcommand)]
    Reports(ReportsCommand),
    /// Accounts that may moderate by the API: list, add, remove.
    #[command(subcommand)]
    Moderators(ModeratorsCommand),
    /// What takes how much space in the database, and what the next month will add.
    Storage,
    /// Actions and reads by administrators, newest first.
    Audit {
        /// Of this account only.
        #[arg(long, value_name = "USERNAME")]
        account: Option<String>,
        /// Maximum number of entries.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
}

/// Commands on accounts.
#[derive(Debug, Subcommand)]
pub enum AccountsCommand {
    /// List accounts by name.
    List {
        /// Only usernames that contain this text.
        #[arg(long, value_name = "TEXT", default_value = "")]
        search: String,
        /// Only usernames after this one.
        #[arg(long, value_name = "USERNAME", default_value = "")]
        after: String,
        /// Maximum number of accounts.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Show an account, with the number of its sessions and tokens.
    Show {
        /// Username.
        username: String,
    },
    /// Create an account, regardless of `YANIV_SIGN_UP`.
    Create {
        /// Username.
        username: String,
        /// Password of the account.
        #[command(flatten)]
        password: PasswordOptions,
    },
    /// Set another password for an account; ends all its sessions and personal tokens.
    ResetPassword {
        /// Username.
        username: String,
        /// Password of the account.
        #[command(flatten)]
        password: PasswordOptions,
    },
    /// Suspend an account: ends all its sessions and personal tokens, and prevents logging in. Needs a
    /// --reason, which the owner sees. Its matches are not changed.
    Suspend {
        /// Username.
        username: String,
        /// Until this day or time (UTC), as 2026-12-24 or 2026-12-24T18:00:00Z; without it, until restored.
        #[arg(long, value_name = "TIME", value_parser = time_or_day)]
        until: Option<DateTime<Utc>>,
    },
    /// Restore a suspended account.
    Restore {
        /// Username.
        username: String,
    },
    /// End all sessions and personal tokens of an account.
    Revoke {
        /// Username.
        username: String,
    },
}

/// Source of a password: never the arguments, which other users can see.
#[derive(Debug, Args)]
pub struct PasswordOptions {
    /// Read the password from a line of standard input; without it, one is generated and printed.
    #[arg(long)]
    pub password_stdin: bool,
}

/// Commands on invitations.
#[derive(Debug, Subcommand)]
pub enum InvitationsCommand {
    /// Create an invitation and print its code, which is not shown again.
    Create {
        /// Number of registrations that it allows.
        #[arg(long, default_value_t = 1)]
        uses: i32,
        /// Number of days until it expires.
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        expires_in_days: i64,
        /// Note for administrators.
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
    },
    /// List the newest invitations.
    List {
        /// Maximum number of invitations.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Revoke an invitation; its code is no longer accepted.
    Revoke {
        /// Identifier of the invitation.
        id: Uuid,
    },
}

/// Commands on matches.
#[derive(Debug, Subcommand)]
pub enum MatchesCommand {
    /// Erase the text of the dedication of a round.
    RemoveDedication {
        /// Identifier of the match.
        id: Uuid,
        /// Number of the round.
        #[arg(value_parser = clap::value_parser!(i16).range(1..=1000))]
        round: i16,
    },
    /// Delete the archived matches that ended before a time, for ever. Statistics and ratings still count them, until they
    /// are rebuilt.
    DeleteArchived {
        /// This day or time (UTC), as 2026-12-24 or 2026-12-24T18:00:00Z.
        #[arg(long, value_name = "TIME", value_parser = time_or_day)]
        ended_before: DateTime<Utc>,
    },
}

/// Runs an admin command and prints its result.
///
/// # Errors
/// If there is no database (with advice); refusals of the command.
pub fn run(options: &AdminOptions) -> Result<(), AnyError> {
    let database = (options.database_url.as_ref(), options.database_url_file.as_deref());
    on_database(1, database, async |url| run_on(options, url).await)
}

async fn run_on(options: &AdminOptions, database_url: &str) -> Result<(), AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, 1, &Handle::current())?;
    let by = options.acting_as.clone().unwrap_or_else(operating_user);
    let admin = Admin::new(store, by, options.reason.clone())?;
    let said = match &options.command {
        AdminCommand::Accounts(command) => on_accounts(&admin, command).await?,
        AdminCommand::Invitations(command) => on_invitations(&admin, command).await?,
        AdminCommand::Matches(command) => on_matches(&admin, command).await?,
        AdminCommand::Reports(command) => on_reports(&admin, command).await?,
        AdminCommand::Moderators(command) => on_moderators(&admin, command).await?,
        AdminCommand::Storage => print::storage(&admin.storage().await?),
        AdminCommand::Audit { account, limit } => {
            print::audit(admin.audit(account.as_deref(), *limit).await?)
        }
    };
    Ok(said.print(options.json)?)
}

async fn on_accounts(admin: &Admin, command: &AccountsCommand) -> Result<print::Said, AnyError> {
    Ok(match command {
        AccountsCommand::List { search, after, limit } => {
            print::accounts(admin.accounts(search, after, *limit).await?)
        }
        AccountsCommand::Show { username } => print::details(admin.account(username).await?),
        AccountsCommand::Create { username, password } => {
            let drawn = admin.create_account(username, password.read()?).await?;
            print::password(username, "created", drawn)
        }
        AccountsCommand::ResetPassword { username, password } => {
            let drawn = admin.reset_password(username, password.read()?).await?;
            print::password(username, "reset", drawn)
        }
        AccountsCommand::Suspend { username, until } => {
            print::revoked(username, "suspended", &admin.suspend(username, *until).await?)
        }
        AccountsCommand::Restore { username } => {
            admin.restore(username).await?;
            print::password(username, "restored", None)
        }
        AccountsCommand::Revoke { username } => {
            print::revoked(username, "revoked", &admin.revoke(username).await?)
        }
    })
}

async fn on_invitations(admin: &Admin, command: &InvitationsCommand) -> Result<print::Said, AnyError> {
    Ok(match command {
        InvitationsCommand::Create { uses, expires_in_days, note } => {
            let (invitation, code) = admin.create_invitation(*uses, *expires_in_days, note.clone()).await?;
            print::new_invitation(invitation, &code)
        }
        InvitationsCommand::List { limit } => print::invitations(admin.invitations(*limit).await?),
        InvitationsCommand::Revoke { id } => print::invitation(admin.revoke_invitation(*id).await?),
    })
}

async fn on_matches(admin: &Admin, command: &MatchesCommand) -> Result<print::Said, AnyError> {
    Ok(match command {
        MatchesCommand::RemoveDedication { id, round } => {
            admin.remove_dedication(*id, *round).await?;
            print::dedication(*id, *round)
        }
        MatchesCommand::DeleteArchived { ended_before } => {
            print::deleted(admin.delete_archived(*ended_before).await?)
        }
    })
}

impl PasswordOptions {
    fn read(&self) -> Result<Option<String>, AnyError> {
        if !self.password_stdin {
            return Ok(None);
        }
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line)?;
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }
}

/// The user of the operating system, and the one behind `sudo`.
fn operating_user() -> String {
    let output = Command::new("id").arg("-un").output().ok().filter(|output| output.status.success());
    let user = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let user = user.filter(|user| !user.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    match std::env::var("SUDO_USER") {
        Ok(before) if !before.is_empty() => format!("{user} (sudo by {before})"),
        _ => user,
    }
}

fn time_or_day(text: &str) -> Result<DateTime<Utc>, String> {
    let midnight = || parse_day(text).map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let time = parse_time(text).or_else(midnight);
    time.ok_or_else(|| "write it as 2026-12-24 or 2026-12-24T18:00:00Z".to_owned())
}
