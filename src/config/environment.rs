//! The environment: known variables, and checks for misspelt ones. Their meaning is documented at the
//! options.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, CommandFactory, FromArgMatches};

use super::{Cli, Command};

/// Variables of this project that are no options: the data directory of the embedded PostgreSQL, and those of
/// docker-compose.yml, `contract/check` and `clients/run`.
const BESIDE: [&str; 4] = [DATA_DIR, "YANIV_PORT", "YANIV_URL", "YANIV_BIN"];
/// Variable for the data directory of the embedded PostgreSQL.
pub(super) const DATA_DIR: &str = "YANIV_DATA_DIR";
/// Prefixes of variables that are not ours: of trials, and of orchestrators, which announce a service `yaniv`
/// to its neighbours.
const FOREIGN: [&str; 4] = ["YANIV_TRIAL_", "YANIV_SERVICE_", "YANIV_PORT_", "YANIV_ENV_"];
/// Maximum edit distance for suggesting a known name.
const NEAR: usize = 3;

/// Parses arguments and environment; returns the command and the source of each value. Exits the program on
/// invalid input or a request for help.
pub(super) fn command() -> (Option<Command>, ArgMatches) {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    // Without a command the service is started, configured by the environment alone.
    if arguments.len() < 2 {
        arguments.push("serve".into());
    }
    let mut program = without_empty(Cli::command());
    let parsed = program.try_get_matches_from_mut(&arguments);
    let matches = parsed.unwrap_or_else(|error| named_as_given(error, &program, &arguments).exit());
    match Cli::from_arg_matches(&matches) {
        Ok(cli) => (cli.command, matches),
        Err(error) => error.format(&mut program).exit(),
    }
}

/// An empty variable counts as unset, because container files leave variables out that way.
fn without_empty(command: clap::Command) -> clap::Command {
    let is_empty = |name: &std::ffi::OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    let of_arguments = command.mut_args(|argument| {
        if argument.get_env().is_some_and(is_empty) { argument.env(Resettable::Reset) } else { argument }
    });
    of_arguments.mut_subcommands(without_empty)
}

/// Rewrites an error to name the variable instead of the flag, if the variable was given.
fn named_as_given(error: clap::Error, program: &clap::Command, arguments: &[OsString]) -> clap::Error {
    let mut error = error;
    for kind in [ContextKind::InvalidArg, ContextKind::PriorArg] {
        let Some(ContextValue::String(shown)) = error.get(kind) else { continue };
        let flag = shown.split([' ', '=']).next().unwrap_or_default();
        let given = |argument: &OsString| argument.to_string_lossy().split('=').next() == Some(flag);
        if arguments.iter().any(given) {
            continue;
        }
        let variable = variables(program).into_iter().find(|(long, _)| long == flag);
        if let Some((_, variable)) = variable {
            error.insert(kind, ContextValue::String(variable));
        }
    }
    error
}

/// Flags with their variables, of a command and its subcommands.
fn variables(command: &clap::Command) -> Vec<(String, String)> {
    let own = command.get_arguments().filter_map(|argument| {
        let variable = argument.get_env()?.to_str()?.to_owned();
        Some((format!("--{}", argument.get_long()?), variable))
    });
    own.chain(command.get_subcommands().flat_map(variables)).collect()
}

/// Warnings about set variables with unknown names, which are probably misspelt.
#[must_use]
pub fn unknown_variables() -> Vec<String> {
    let program = Cli::command();
    let mut known: Vec<String> = variables(&program).into_iter().map(|(_, variable)| variable).collect();
    known.extend(BESIDE.map(str::to_owned));
    let set = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let ours = set.filter(|name| name.starts_with("YANIV_"));
    let unknown =
        ours.filter(|name| !known.contains(name) && !FOREIGN.iter().any(|prefix| name.starts_with(prefix)));
    let mut said: Vec<String> = unknown.map(|name| about_unknown(&name, &known)).collect();
    said.sort();
    said
}

fn about_unknown(name: &str, known: &[String]) -> String {
    let distance = |known: &&String| strsim::damerau_levenshtein(name, known);
    match known.iter().min_by_key(distance).filter(|known| distance(known) <= NEAR) {
        Some(near) => format!("there is no variable {name}: did you mean {near}?"),
        None => format!("there is no variable {name}"),
    }
}
