//! The administrator's command line: `yaniv admin`.
//!
//! It works on the database, past the service: one that runs hears of it within a second. What each command does is in
//! `service::admin`; how it is printed, in `print`. `yaniv fsck` is in `fsck`.

mod database;
pub mod fsck;
mod print;

use std::io::BufRead;
use std::path::PathBuf;
use std::process::Command;

use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use clap::{Args, Subcommand};
use tokio::runtime::Handle;
use uuid::Uuid;

use database::on_database;

use crate::config::Secret;
use crate::service::admin::Admin;
use crate::store::Store;
use crate::store::migrations;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Who does what to which database.
#[derive(Debug, Args)]
pub struct AdminOptions {
    /// What to do.
    #[command(subcommand)]
    pub command: AdminCommand,
    /// Who does it, for the audit log; without it, the user of the operating system.
    #[arg(long = "as", value_name = "NAME", global = true)]
    pub acting_as: Option<String>,
    /// Why, for the audit log; of a suspension the owner is told, too.
    #[arg(long, value_name = "TEXT", global = true)]
    pub reason: Option<String>,
    /// Print JSON, for programs.
    #[arg(long, global = true)]
    pub json: bool,
    /// The database, as postgres://…; without it, the PostgreSQL of the service's own in the directory that `YANIV_DATA_DIR`
    /// names.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database's URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,
}

/// What an administrator does.
#[derive(Debug, Subcommand)]
pub enum AdminCommand {
    /// Accounts: look at them, make them, shut them out, let them in again.
    #[command(subcommand)]
    Accounts(AccountsCommand),
    /// Invitations to register, where it takes one (`YANIV_SIGN_UP=invitation`).
    #[command(subcommand)]
    Invitations(InvitationsCommand),
    /// What administrators have done and looked at, the newest at the top.
    Audit {
        /// Of this account only.
        #[arg(long, value_name = "USERNAME")]
        account: Option<String>,
        /// So many entries at most.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
}

/// What is done to accounts.
#[derive(Debug, Subcommand)]
pub enum AccountsCommand {
    /// List accounts by name.
    List {
        /// Only those whose names have this in them.
        #[arg(long, value_name = "TEXT", default_value = "")]
        search: String,
        /// Only those after this name.
        #[arg(long, value_name = "USERNAME", default_value = "")]
        after: String,
        /// So many at most.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Show an account, and by how many sessions and tokens it is used.
    Show {
        /// Its name.
        username: String,
    },
    /// Create an account, whoever may register.
    Create {
        /// Its name.
        username: String,
        /// Its password.
        #[command(flatten)]
        password: PasswordOptions,
    },
    /// Give an account another password; all its sessions and personal tokens end.
    ResetPassword {
        /// Its name.
        username: String,
        /// Its password.
        #[command(flatten)]
        password: PasswordOptions,
    },
    /// Shut an account out: all its sessions and personal tokens end, and nobody can log in. Needs a --reason, which is told
    /// to its owner. Its matches stay as they are.
    Suspend {
        /// Its name.
        username: String,
        /// Until this day or time (UTC), as 2026-12-24 or 2026-12-24T18:00:00Z; without it, until it is restored.
        #[arg(long, value_name = "TIME", value_parser = parse_time)]
        until: Option<DateTime<Utc>>,
    },
    /// Let a suspended account in again.
    Restore {
        /// Its name.
        username: String,
    },
    /// End all sessions and personal tokens of an account.
    Revoke {
        /// Its name.
        username: String,
    },
}

/// Where a password comes from: never from the arguments, which others can see.
#[derive(Debug, Args)]
pub struct PasswordOptions {
    /// Read the password from a line of the standard input; without it, one is drawn and printed.
    #[arg(long)]
    pub password_stdin: bool,
}

/// What is done to invitations.
#[derive(Debug, Subcommand)]
pub enum InvitationsCommand {
    /// Make an invitation and print its code, which is not shown again.
    Create {
        /// How many people it lets in.
        #[arg(long, default_value_t = 1)]
        uses: i32,
        /// For how many days.
        #[arg(long, value_name = "DAYS", default_value_t = 30)]
        expires_in_days: i64,
        /// What to remember of it.
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
    },
    /// List the newest invitations.
    List {
        /// So many at most.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=10_000))]
        limit: i64,
    },
    /// Revoke an invitation: it lets nobody in any more.
    Revoke {
        /// Its identifier.
        id: Uuid,
    },
}

/// Does what was asked for, and prints what came of it.
///
/// # Errors
/// With what to do about it, if there is no database; and what the command refuses.
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

/// The user of the operating system, and who has become it by sudo.
fn operating_user() -> String {
    let output = Command::new("id").arg("-un").output().ok().filter(|output| output.status.success());
    let user = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let user = user.filter(|user| !user.is_empty()).unwrap_or_else(|| "unknown".to_owned());
    match std::env::var("SUDO_USER") {
        Ok(before) if !before.is_empty() => format!("{user} (sudo by {before})"),
        _ => user,
    }
}

fn parse_time(text: &str) -> Result<DateTime<Utc>, String> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(time.to_utc());
    }
    let day: NaiveDate = text.parse().map_err(|_| "write it as 2026-12-24 or 2026-12-24T18:00:00Z")?;
    Ok(day.and_time(NaiveTime::MIN).and_utc())
}
