//! `yaniv config check`: prints the effective settings, their sources, and problems, without starting
//! anything.

use std::process::ExitCode;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args};
use yaniv_auth::token::Tokens;
use yaniv_db::kernel::database_url;
use yaniv_outbound::vapid;

use super::{ServeOptions, environment};
use crate::cli::print;
use crate::telemetry;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Shown instead of a secret.
const HIDDEN: &str = "(hidden)";
/// Shown for an unset value.
const NONE: &str = "(none)";

/// A setting, its value, and its source.
type Row = [String; 3];

/// Prints the effective settings. The exit status is 1 if there are problems.
///
/// # Errors
/// If printing fails.
pub fn run(options: &ServeOptions, matches: &ArgMatches) -> Result<ExitCode, AnyError> {
    let mut given = matches;
    while let Some((_, deeper)) = given.subcommand() {
        given = deeper;
    }
    let mut rows = vec![["setting", "value", "source"].map(str::to_owned)];
    let all = ServeOptions::augment_args(clap::Command::new("serve"));
    rows.extend(all.get_arguments().map(|argument| row(argument, given)));
    rows.extend(beside(options));
    print(&table(&rows))?;
    let problems = problems(options);
    for problem in &problems {
        eprintln!("yaniv: {problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Problems that keep the service from starting or from working as intended.
#[must_use]
pub fn problems(options: &ServeOptions) -> Vec<String> {
    let mut problems = environment::unknown_variables();
    let checks = [
        database(options),
        tokens(options),
        push_key(options),
        options.mail_server().map(drop),
        telemetry::filter().map(drop),
    ];
    problems.extend(checks.into_iter().filter_map(Result::err));
    problems
}

fn database(options: &ServeOptions) -> Result<(), String> {
    match options.database_url()? {
        Some(url) => {
            let checked = database_url::check(url.expose());
            checked.map_err(|error| format!("the database's URL cannot be used: {error}"))
        }
        None => data_dir().map(drop),
    }
}

fn tokens(options: &ServeOptions) -> Result<(), String> {
    let secrets = options.token_secrets()?;
    let secrets: Vec<Vec<u8>> = secrets.iter().map(|secret| secret.expose().as_bytes().to_vec()).collect();
    if secrets.is_empty() {
        return Ok(());
    }
    Tokens::new(&secrets).map(drop).map_err(|error| error.to_string())
}

fn push_key(options: &ServeOptions) -> Result<(), String> {
    let Some(key) = options.push_key()? else { return Ok(()) };
    vapid::read_private(key.expose()).map(drop).map_err(|error| format!("YANIV_PUSH_KEY: {error}"))
}

/// Data directory of the embedded PostgreSQL.
#[cfg(feature = "embedded-postgres")]
fn data_dir() -> Result<String, String> {
    local_postgres::default_dir().map(|dir| dir.display().to_string()).map_err(|error| error.to_string())
}

#[cfg(not(feature = "embedded-postgres"))]
fn data_dir() -> Result<String, String> {
    Err("DATABASE_URL is not set, and this build has no embedded PostgreSQL".to_owned())
}

fn row(argument: &Arg, given: &ArgMatches) -> Row {
    let id = argument.get_id().as_str();
    let long = argument.get_long().unwrap_or(id);
    let raw = |id: &str| {
        let values = given.try_get_raw(id).ok().flatten()?;
        Some(values.map(|value| value.to_string_lossy()).collect::<Vec<_>>().join(","))
    };
    let source = match given.value_source(id) {
        Some(ValueSource::CommandLine) => format!("flag --{long}"),
        Some(ValueSource::EnvVariable) => {
            let variable = argument.get_env().map(|name| name.to_string_lossy().into_owned());
            format!("variable {}", variable.unwrap_or_default())
        }
        _ => "default".to_owned(),
    };
    let secret = argument.is_hide_env_values_set();
    let (value, source) = match (raw(id).filter(|value| !value.is_empty()), raw(&format!("{id}_file"))) {
        (Some(_), _) if secret => (HIDDEN.to_owned(), source),
        (None, Some(file)) if secret => (HIDDEN.to_owned(), format!("file {file}")),
        (Some(value), _) => (value, source),
        (None, _) => (NONE.to_owned(), source),
    };
    [long.to_owned(), value, source]
}

/// Settings that exist only as environment variables.
fn beside(options: &ServeOptions) -> Vec<Row> {
    let row = |name: &str, variable: &str, value: String| {
        let set = std::env::var_os(variable).is_some_and(|value| !value.is_empty());
        let source = if set { format!("variable {variable}") } else { "default".to_owned() };
        [name.to_owned(), value, source]
    };
    let mut rows = vec![row("log", telemetry::VARIABLE, telemetry::wanted())];
    if options.database_url.is_none() && options.database_url_file.is_none() {
        let dir = data_dir().unwrap_or_else(|_| NONE.to_owned());
        rows.push(row("data-dir", environment::DATA_DIR, dir));
    }
    rows
}

fn table(rows: &[Row]) -> String {
    let width =
        |column: fn(&Row) -> &str| rows.iter().map(|row| column(row).chars().count()).max().unwrap_or(0);
    let (first, second) = (width(|[name, _, _]| name), width(|[_, value, _]| value));
    rows.iter().map(|[name, value, source]| format!("{name:<first$}  {value:<second$}  {source}\n")).collect()
}
