//! The configuration: command line and environment, typed. Secrets may come from files (`…_FILE`) and are never
//! printed.

use std::fmt;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::builder::BoolishValueParser;
use clap::{ArgAction, Args, Parser, Subcommand};
use ipnet::IpNet;

use crate::admin::AdminOptions;
use crate::admin::fsck::FsckOptions;
use crate::cli::RulesCommand;
use crate::http::Origins;
use crate::http::openapi::Edition;
use crate::rebuild::RebuildOptions;
use crate::service::sign_up::SignUp;

/// Yaniv, turn by turn over days.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    /// What to do; without a command, the service is started.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// The command, from the arguments and the environment.
    pub fn command() -> Command {
        let serve = || Command::Serve(ServeOnly::parse_from(["yaniv"]).options);
        Self::parse().command.unwrap_or_else(serve)
    }
}

/// Serving without having been told to: everything comes from the environment.
#[derive(Debug, Parser)]
struct ServeOnly {
    #[command(flatten)]
    options: ServeOptions,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API; this is what happens without a command.
    Serve(ServeOptions),
    /// Print the OpenAPI document.
    Openapi {
        /// Which OpenAPI it follows.
        #[arg(long, value_enum, default_value_t)]
        edition: Edition,
    },
    /// Ask a running service on this machine whether it is ready; for health checks of containers.
    Health(HealthOptions),
    /// What an administrator does: accounts, invitations, and the log of it. Works on the database, whether the service
    /// runs or not.
    Admin(AdminOptions),
    /// Count again, from the log, what follows from it. Works on the database, whether the service runs or not.
    Rebuild(RebuildOptions),
    /// Play all stored matches again from their logs, and say where what is stored besides differs.
    ///
    /// Reads only, and may be run beside the service. A line for each difference: match, what, and where that is nobody's
    /// secret, what is stored and what the log comes to. The exit status is 0 if there is none, 1 if there is one, 2 if not all matches were
    /// looked at; then it is said where to go on.
    Fsck(FsckOptions),
    /// Play in the terminal, at any service.
    #[cfg(feature = "play")]
    Play(yaniv_play::PlayOptions),
    /// What can be done with the rules alone.
    #[command(flatten)]
    Rules(RulesCommand),
}

/// How to serve.
#[derive(Clone, Debug, Args)]
pub struct ServeOptions {
    /// Address and port to listen on; port 0 takes a free one.
    #[arg(long, env = "YANIV_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// The database, as postgres://…; without it, a PostgreSQL of the service's own is brought up, in the directory that
    /// `YANIV_DATA_DIR` names.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database's URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<PathBuf>,
    /// Connections to the database at most.
    #[arg(long, env = "YANIV_DATABASE_CONNECTIONS", default_value_t = 16)]
    pub database_connections: usize,
    /// What access tokens are signed with, at least 32 bytes; without it, a secret kept in the database. Several, separated
    /// by commas or line breaks, while one takes the place of another: the first signs, all of them verify.
    #[arg(long, env = "YANIV_TOKEN_SECRET", hide_env_values = true)]
    pub token_secret: Option<Secret>,
    /// File that holds that secret.
    #[arg(long, env = "YANIV_TOKEN_SECRET_FILE", conflicts_with = "token_secret")]
    pub token_secret_file: Option<PathBuf>,
    /// Megabytes of matches kept in memory, roughly; those that are not are read again. 64 MB are some 12,000 matches of two.
    #[arg(long, env = "YANIV_MATCH_MEMORY", default_value_t = 64)]
    pub match_memory: u64,
    /// Connections of clients at a time, at most; more have to wait.
    #[arg(long, env = "YANIV_CONNECTIONS", default_value_t = 16_384)]
    pub connections: usize,
    /// Streams of events open at a time, at most.
    #[arg(long, env = "YANIV_STREAMS", default_value_t = 2000)]
    pub streams: usize,
    /// After so many seconds of silence a stream is sent a sign of life.
    #[arg(long, env = "YANIV_HEARTBEAT", default_value_t = 15)]
    pub heartbeat: u64,
    /// Threads that answer requests; 0 for one a core.
    #[arg(long, env = "YANIV_WORKERS", default_value_t = 0)]
    pub workers: usize,
    /// Whether it is limited how often an address or an account may ask; accepted actions never are.
    #[arg(long, env = "YANIV_RATE_LIMITS", default_value = "on", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub rate_limits: bool,
    /// Networks of the proxies before the service, whose `X-Forwarded-For` is believed: `10.0.0.0/8,fd00::/8`.
    #[arg(long, env = "YANIV_TRUSTED_PROXIES", value_delimiter = ',')]
    pub trusted_proxies: Vec<IpNet>,
    /// Address under which players reach the service, as `https://yaniv.example`: matches then have links to share.
    #[arg(long, env = "YANIV_PUBLIC_URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Who may register: everybody, who has an invitation (`yaniv admin invitations`), or nobody.
    #[arg(long, env = "YANIV_SIGN_UP", value_enum, default_value_t)]
    pub sign_up: SignUp,
    /// Whether client developers may have test matches, whose clock they move: not where people play.
    #[arg(long, env = "YANIV_SANDBOXES", default_value = "off", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub sandboxes: bool,
    /// Origins of web pages that may use the API from browsers, exactly as browsers send them, separated by commas:
    /// `https://play.example,http://localhost:5173`.
    #[arg(long, env = "YANIV_CORS_ORIGINS", default_value = "")]
    pub cors_origins: Origins,
    /// The key by which push services know this service: the private key of a pair for VAPID, 32 bytes as base64url; without
    /// it, one kept in the database. Browsers that subscribed by another key have to subscribe again.
    #[arg(long, env = "YANIV_PUSH_KEY", hide_env_values = true)]
    pub push_key: Option<Secret>,
    /// File that holds that key.
    #[arg(long, env = "YANIV_PUSH_KEY_FILE", conflicts_with = "push_key")]
    pub push_key_file: Option<PathBuf>,
    /// Whom push services may write to about what this service sends: `mailto:ops@yaniv.example`, or an https address.
    #[arg(long, env = "YANIV_CONTACT", value_parser = contact)]
    pub contact: Option<String>,
    /// Whether notices may go to addresses inside of networks, to any port, and without TLS: at home, and for tests.
    #[arg(long, env = "YANIV_PRIVATE_DESTINATIONS", default_value = "false", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub private_destinations: bool,
    /// How the log is written: text or json.
    #[arg(long, env = "YANIV_LOG_FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub log_format: String,
}

/// Whom to ask.
#[derive(Clone, Debug, Args)]
pub struct HealthOptions {
    /// Address and port of the service.
    #[arg(long, env = "YANIV_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
}

/// A text that is not printed.
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl ServeOptions {
    /// The database's URL, if one is configured.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn database_url(&self) -> Result<Option<Secret>, String> {
        given(self.database_url.as_ref(), self.database_url_file.as_deref())
    }

    /// The key that pushes are signed with, if one is configured.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn push_key(&self) -> Result<Option<Secret>, String> {
        given(self.push_key.as_ref(), self.push_key_file.as_deref())
    }

    /// The secrets of the access tokens, as far as they are configured.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn token_secrets(&self) -> Result<Vec<Secret>, String> {
        let secrets = given(self.token_secret.as_ref(), self.token_secret_file.as_deref())?;
        let text = secrets.as_ref().map_or("", Secret::expose);
        Ok(text
            .split([',', '\n'])
            .map(str::trim)
            .filter(|secret| !secret.is_empty())
            .map(Secret::from)
            .collect())
    }
}

/// An address that a path may follow; links begin with it, so it has nothing that would have to be escaped in one.
fn public_url(text: &str) -> Result<String, String> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:/[]%".contains(letter);
    let right = !rest.is_empty() && !rest.starts_with('/') && rest.chars().all(plain) && url.len() <= 200;
    // An empty value counts as none here, too.
    if url.is_empty() || right {
        return Ok(url.to_owned());
    }
    Err("has to be an address like https://yaniv.example, perhaps with a path".to_owned())
}

/// Somebody to write to. An empty value counts as none.
fn contact(text: &str) -> Result<String, String> {
    let right = text.is_empty() || text.starts_with("mailto:") || text.starts_with("https://");
    let plain = text.len() <= 200 && text.chars().all(|letter| letter.is_ascii_graphic());
    if right && plain { Ok(text.to_owned()) } else { Err("has to be mailto:… or https://…".to_owned()) }
}

/// What is given as a text or by a file. An empty value counts as none: that is how container files leave a variable out.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn given(value: Option<&Secret>, file: Option<&Path>) -> Result<Option<Secret>, String> {
    let value = match (value, file) {
        (Some(value), _) => Some(value.clone()),
        (None, Some(file)) => {
            let text =
                std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
            Some(Secret(text.trim_end_matches(['\r', '\n']).to_owned()))
        }
        (None, None) => None,
    };
    Ok(value.filter(|value| !value.expose().is_empty()))
}
