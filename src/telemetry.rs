//! Logging: text for people or JSON for machines. And traces, in builds that have them.

use tracing::level_filters::LevelFilter;
use tracing_subscriber::{EnvFilter, fmt};

use crate::traces::{self, Traces};

/// Crates that would log statements with their parameters.
const SILENT: [&str; 8] = [
    "tokio_postgres=info",
    "postgres_protocol=info",
    "reqwest=info",
    "hyper=info",
    "hyper_util=info",
    "rustls=info",
    "webauthn_rs=off",
    "webauthn_rs_core=off",
];

/// Environment variable with the log filter.
pub(crate) const VARIABLE: &str = "RUST_LOG";

/// Default filter. Errors of actix-http are malformed requests, which any client can cause.
const DEFAULT: &str = "info,actix_server=warn,actix_http=off";

/// Starts logging to standard error, filtered by `RUST_LOG` (default `info`), and traces. Statements are never logged
/// with their parameters, which include hands, seeds and hashes.
///
/// # Errors
/// If `RUST_LOG` cannot be parsed, or traces cannot be exported as the environment says.
pub fn start(format: &str) -> Result<Traces, String> {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let lines = fmt::layer().with_ansi(terminal).with_writer(std::io::stderr);
    match format {
        "json" => traces::start(lines.json(), filter()?),
        _ => traces::start(lines.with_target(false), filter()?),
    }
}

/// The log filter as text.
pub(crate) fn wanted() -> String {
    let given = std::env::var_os(VARIABLE).filter(|given| !given.is_empty());
    given.map_or_else(|| DEFAULT.to_owned(), |given| given.to_string_lossy().into_owned())
}

/// The log filter.
///
/// # Errors
/// If `RUST_LOG` cannot be parsed. A part without a level is rejected: it would silence everything else, and
/// is nearly always a misspelt level.
pub(crate) fn filter() -> Result<EnvFilter, String> {
    let wanted = wanted();
    let no_level =
        |part: &&str| !part.is_empty() && !part.contains('=') && part.parse::<LevelFilter>().is_err();
    // Inside brackets, which name spans, commas do not separate parts.
    if !wanted.contains('[')
        && let Some(part) = wanted.split(',').map(str::trim).find(no_level)
    {
        return Err(format!(
            "{VARIABLE}: {part} is no level: off, error, warn, info, debug or trace, or of one part, as in yaniv=debug"
        ));
    }
    let filter = EnvFilter::try_new(&wanted).map_err(|error| format!("{VARIABLE}: {error}"))?;
    let silent = SILENT.iter().filter_map(|directive| directive.parse().ok());
    Ok(silent.fold(filter, EnvFilter::add_directive))
}
