//! The log: text for people or JSON for machines.

use tracing_subscriber::EnvFilter;

/// Crates that print what they send, parameters included, if they are let.
const SILENT: [&str; 6] = [
    "tokio_postgres=info",
    "postgres_protocol=info",
    "reqwest=info",
    "hyper=info",
    "hyper_util=info",
    "rustls=info",
];

/// Without `RUST_LOG`. What actix-http calls errors are requests that are no HTTP: anybody can send them.
const DEFAULT: &str = "info,actix_server=warn,actix_http=off";

/// Starts logging to standard error. `RUST_LOG` chooses what, `info` if it is not set; but nothing makes the log
/// show what statements carry: hands, seeds and hashes are among it.
pub fn start(format: &str) {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter()).with_ansi(terminal).with_writer(std::io::stderr);
    // A second start, as in tests, changes nothing.
    let _ = match format {
        "json" => builder.json().try_init(),
        _ => builder.with_target(false).try_init(),
    };
}

fn filter() -> EnvFilter {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    let silent = SILENT.iter().filter_map(|directive| directive.parse().ok());
    silent.fold(filter, EnvFilter::add_directive)
}
