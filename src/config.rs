//! The configuration: typed command line and environment. Secrets may come from files (`…_FILE`) and are
//! never printed.

pub mod check;
pub mod environment;

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::builder::{BoolishValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgMatches, Args, Parser, Subcommand, value_parser};
use ipnet::IpNet;
use yaniv_app::accounts::sign_up_policy::SignUp;
use yaniv_http::openapi::Edition;
use yaniv_http::{CODE, Origins};
use yaniv_outbound::oidc::OidcConfiguration;
use yaniv_outbound::{MailServer, OidcClient};

use crate::admin::AdminOptions;
use crate::admin::fsck::FsckOptions;
use crate::archive::ArchiveOptions;
use crate::cli::RulesCommand;
use crate::rebuild::RebuildOptions;

/// A value of an option, with its name and help text.
type Choice<T> = (&'static str, &'static str, T);

const EDITIONS: [Choice<Edition>; 2] =
    [("3.1", "3.1.0", Edition::V31), ("3.0", "3.0.3, derived from it", Edition::V30)];

const SIGN_UPS: [Choice<SignUp>; 3] = [
    ("open", "Everybody", SignUp::Open),
    ("invitation", "Who has an invitation of an administrator", SignUp::Invitation),
    ("closed", "Nobody: an administrator makes the accounts", SignUp::Closed),
];

fn one_of<T: Copy + Send + Sync>(choices: &'static [Choice<T>]) -> impl TypedValueParser<Value = T> {
    let values = choices.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).try_map(|name| {
        choices.iter().find(|(known, ..)| *known == name).map(|(.., value)| *value).ok_or("no such value")
    })
}

/// Yaniv, turn by turn over days.
#[derive(Debug, Parser)]
#[command(version, about)]
pub struct Cli {
    /// The command; without one, the service is started.
    #[command(subcommand)]
    pub command: Option<Command>,
}

impl Cli {
    /// Parses arguments and environment; returns the command and the source of each value.
    pub fn command_given() -> (Option<Command>, ArgMatches) {
        environment::command()
    }
}

/// The commands of `yaniv`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Serve the API; the default without a command.
    Serve(ServeOptions),
    /// Inspect the configuration of the service.
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print the OpenAPI document.
    Openapi {
        /// Version of OpenAPI.
        #[arg(long, default_value = "3.1", value_parser = one_of(&EDITIONS))]
        edition: Edition,
    },
    /// Check whether a service on this machine is ready; for health checks of containers.
    Health(HealthOptions),
    /// Administration: accounts, invitations, matches, the audit log. Works on the database, with or without
    /// a running service.
    Admin(AdminOptions),
    /// Recompute statistics or ratings from the log. Works on the database, with or without a running
    /// service.
    Rebuild(RebuildOptions),
    /// Archive matches that ended long ago: move each log to a compact row, now. Works on the database, with or without a
    /// running service.
    Archive(ArchiveOptions),
    /// Replay all stored matches from their logs and report differences to the other stored data.
    ///
    /// Read-only; can run beside the service. Prints a line per difference: match, subject and, unless
    /// secret, the stored and the expected value. Exit status: 0 without differences, 1 with differences, 2
    /// if not all matches were checked; then the point to resume from is printed.
    Fsck(FsckOptions),
    /// Commands that need the rules only.
    #[command(flatten)]
    Rules(RulesCommand),
}

/// Commands on the configuration.
#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the effective settings with their sources, secrets hidden, and report problems.
    ///
    /// Takes the options of `serve`. Starts nothing and does not connect to the database. Exit status: 0
    /// without problems, 1 with problems, 2 if a value is invalid.
    Check(ServeOptions),
}

/// Options of `serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeOptions {
    /// Address and port to listen on; port 0 selects a free one.
    #[arg(long, env = "YANIV_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Address and port of the metrics in OpenMetrics text, at `/metrics`; without it there are none. They need no
    /// token: choose an address that only the monitoring reaches.
    #[arg(long, env = "YANIV_METRICS_LISTEN")]
    pub metrics_listen: Option<SocketAddr>,
    /// Database URL, as postgres://…; without it, an embedded PostgreSQL is started, with its data in the
    /// directory `YANIV_DATA_DIR`.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<PathBuf>,
    /// Maximum number of database connections.
    #[arg(long, env = "YANIV_DATABASE_CONNECTIONS", default_value_t = 16, value_parser = value_parser!(u16).range(2..=1000))]
    pub database_connections: u16,
    /// Secret that signs access tokens, at least 32 bytes; without it, a secret kept in the database. For
    /// rotation several, separated by commas or line breaks: the first signs, all verify.
    #[arg(long, env = "YANIV_TOKEN_SECRET", hide_env_values = true)]
    pub token_secret: Option<Secret>,
    /// File that holds that secret.
    #[arg(long, env = "YANIV_TOKEN_SECRET_FILE", conflicts_with = "token_secret")]
    pub token_secret_file: Option<PathBuf>,
    /// Approximate size of the match cache in megabytes; other matches are read from the database. 64 MB hold
    /// some 12,000 matches of two players.
    #[arg(long, env = "YANIV_MATCH_MEMORY", default_value_t = 64, value_parser = value_parser!(u64).range(1..=1_000_000))]
    pub match_memory: u64,
    /// Maximum number of concurrent client connections; further ones wait.
    #[arg(long, env = "YANIV_CONNECTIONS", default_value_t = 16_384, value_parser = value_parser!(u32).range(16..=1_000_000))]
    pub connections: u32,
    /// Maximum number of open event streams.
    #[arg(long, env = "YANIV_STREAMS", default_value_t = 2000, value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub streams: u32,
    /// Seconds of silence after which a stream sends a heartbeat.
    #[arg(long, env = "YANIV_HEARTBEAT", default_value_t = 15, value_parser = value_parser!(u64).range(1..=600))]
    pub heartbeat: u64,
    /// Number of HTTP worker threads; 0 for one per core.
    #[arg(long, env = "YANIV_WORKERS", default_value_t = 0, value_parser = value_parser!(u16).range(0..=512))]
    pub workers: u16,
    /// Whether requests are rate-limited per address and account.
    #[arg(long, env = "YANIV_RATE_LIMITS", default_value = "on", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub rate_limits: bool,
    /// Addresses and networks of reverse proxies whose `X-Forwarded-For` is trusted: `10.0.0.1,fd00::/8`.
    #[arg(long, env = "YANIV_TRUSTED_PROXIES", value_delimiter = ',', value_parser = proxies)]
    pub trusted_proxies: Vec<IpNet>,
    /// Public base URL of the service, as `https://yaniv.example`: enables links to share matches, and passkeys.
    #[arg(long, env = "YANIV_PUBLIC_URL", value_parser = public_url)]
    pub public_url: Option<String>,
    /// Link of the client by which players join, as `https://play.example/join/{code}`; without it, the
    /// web client of the service.
    #[arg(long, env = "YANIV_JOIN_LINK", value_parser = join_link)]
    pub join_link: Option<String>,
    /// Whether the web client is served at `/`; it never is if the public URL has a path.
    #[arg(long, env = "YANIV_WEB_CLIENT", default_value = "on", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub web_client: bool,
    /// Days after its end at which a match is archived: its log moves to a compact row, in the background. Without it,
    /// never. Instances of 1.0.0 cannot read archived matches.
    #[arg(long, env = "YANIV_ARCHIVE_AFTER", value_parser = value_parser!(u16).range(15..))]
    pub archive_after: Option<u16>,
    /// Who may register: anyone, holders of an invitation (`yaniv admin invitations`), or no one.
    #[arg(long, env = "YANIV_SIGN_UP", default_value = "open", value_parser = one_of(&SIGN_UPS))]
    pub sign_up: SignUp,
    /// Whether client developers may create sandboxes, matches whose clock they move: not for services where
    /// people play.
    #[arg(long, env = "YANIV_SANDBOXES", default_value = "off", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub sandboxes: bool,
    /// Origins of web pages that may use the API from browsers (CORS), exactly as browsers send them,
    /// separated by commas: `https://play.example,http://localhost:5173`.
    #[arg(long, env = "YANIV_CORS_ORIGINS", default_value = "")]
    pub cors_origins: Origins,
    /// VAPID private key, which identifies this service to push services: 32 bytes as base64url; without it,
    /// one kept in the database. After a change, browsers have to subscribe again.
    #[arg(long, env = "YANIV_PUSH_KEY", hide_env_values = true)]
    pub push_key: Option<Secret>,
    /// File that holds that key.
    #[arg(long, env = "YANIV_PUSH_KEY_FILE", conflicts_with = "push_key")]
    pub push_key_file: Option<PathBuf>,
    /// Mail server: `smtps://user:password@host` (TLS), or `smtp://user:password@host?tls=required` (STARTTLS). Enables
    /// e-mail: a password can be reset, and notifications can be sent by e-mail. Needs the public URL.
    #[arg(long, env = "YANIV_SMTP_URL", hide_env_values = true)]
    pub smtp_url: Option<Secret>,
    /// File that holds that URL.
    #[arg(long, env = "YANIV_SMTP_URL_FILE", conflicts_with = "smtp_url")]
    pub smtp_url_file: Option<PathBuf>,
    /// Sender of e-mails: `Yaniv <yaniv@yaniv.example>`.
    #[arg(long, env = "YANIV_MAIL_FROM")]
    pub mail_from: Option<String>,
    /// Issuer of an OpenID Connect provider by which players can log in: `https://id.example`. Register
    /// `{YANIV_PUBLIC_URL}/oidc/callback` there as redirect URI.
    #[arg(long, env = "YANIV_OIDC_ISSUER")]
    pub oidc_issuer: Option<String>,
    /// Client identifier of this service at that provider.
    #[arg(long, env = "YANIV_OIDC_CLIENT_ID")]
    pub oidc_client_id: Option<String>,
    /// Client secret, unless this service is a public client.
    #[arg(long, env = "YANIV_OIDC_CLIENT_SECRET", hide_env_values = true)]
    pub oidc_client_secret: Option<Secret>,
    /// File that holds that secret.
    #[arg(long, env = "YANIV_OIDC_CLIENT_SECRET_FILE", conflicts_with = "oidc_client_secret")]
    pub oidc_client_secret_file: Option<PathBuf>,
    /// Name of that provider on the button: 1 to 40 characters.
    #[arg(long, env = "YANIV_OIDC_NAME", default_value = "OpenID")]
    pub oidc_name: String,
    /// Whether that provider says when a player last typed the password (`auth_time`), if it is asked to have it typed. Google
    /// and GitLab do not: with `off`, they are believed.
    #[arg(long, env = "YANIV_OIDC_AUTH_TIME", default_value = "on", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub oidc_auth_time: bool,
    /// Contact for push services: `mailto:ops@yaniv.example`, or an https address.
    #[arg(long, env = "YANIV_CONTACT", value_parser = contact)]
    pub contact: Option<String>,
    /// Whether notifications may go to internal addresses, to any port, and without TLS: at home, and for
    /// tests.
    #[arg(long, env = "YANIV_PRIVATE_DESTINATIONS", default_value = "false", value_parser = BoolishValueParser::new(), action = ArgAction::Set)]
    pub private_destinations: bool,
    /// Log format: text or json.
    #[arg(long, env = "YANIV_LOG_FORMAT", default_value = "text", value_parser = ["text", "json"])]
    pub log_format: String,
}

/// Options of the health check.
#[derive(Clone, Debug, Args)]
pub struct HealthOptions {
    /// Address and port of the service.
    #[arg(long, env = "YANIV_LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
}

/// A text that is never printed.
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
    /// The database URL, if configured.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn database_url(&self) -> Result<Option<Secret>, String> {
        given(self.database_url.as_ref(), self.database_url_file.as_deref())
    }

    /// The VAPID key, if configured.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn push_key(&self) -> Result<Option<Secret>, String> {
        given(self.push_key.as_ref(), self.push_key_file.as_deref())
    }

    /// The mail server, if configured.
    ///
    /// # Errors
    /// If the file cannot be read, or the configuration cannot be used.
    pub fn mail_server(&self) -> Result<Option<MailServer>, String> {
        let Some(url) = given(self.smtp_url.as_ref(), self.smtp_url_file.as_deref())? else {
            return Ok(None);
        };
        let needed = |value: &Option<String>, name: &str| {
            set(value).ok_or_else(|| format!("YANIV_SMTP_URL needs {name} as well"))
        };
        needed(&self.public_url, "YANIV_PUBLIC_URL, the address of the links in e-mails,")?;
        let from = needed(&self.mail_from, "YANIV_MAIL_FROM, the sender of e-mails,")?;
        let server = MailServer::parse(url.expose(), &from, self.private_destinations);
        server.map(Some).map_err(|error| format!("e-mail: {error}"))
    }

    /// The OpenID Connect provider, if configured.
    ///
    /// # Errors
    /// If the file cannot be read, or the configuration cannot be used.
    pub fn oidc_provider(&self, callback: &str) -> Result<Option<OidcClient>, String> {
        let Some(issuer) = set(&self.oidc_issuer) else { return Ok(None) };
        let needed = |value: Option<String>, name: &str| {
            value.ok_or_else(|| format!("YANIV_OIDC_ISSUER needs {name} as well"))
        };
        let public = needed(set(&self.public_url), "YANIV_PUBLIC_URL, where the browser comes back,")?;
        if public.split_once("://").is_some_and(|(_, host)| host.contains('/')) {
            return Err("YANIV_OIDC_ISSUER needs a YANIV_PUBLIC_URL without a path".to_owned());
        }
        let client_id = needed(set(&self.oidc_client_id), "YANIV_OIDC_CLIENT_ID")?;
        let secret = given(self.oidc_client_secret.as_ref(), self.oidc_client_secret_file.as_deref())?;
        if !(1..=40).contains(&self.oidc_name.chars().count()) {
            return Err("YANIV_OIDC_NAME must be 1 to 40 characters".to_owned());
        }
        let configuration = OidcConfiguration {
            name: self.oidc_name.clone(),
            issuer,
            client_id,
            client_secret: secret.map(|secret| secret.expose().to_owned()),
            redirect_uri: format!("{public}{callback}"),
            has_auth_time: self.oidc_auth_time,
        };
        OidcClient::new(configuration).map(Some).map_err(|error| format!("YANIV_OIDC_ISSUER: {error}"))
    }

    /// The configured secrets of access tokens.
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

/// A value; an empty one counts as unset.
fn set(value: &Option<String>) -> Option<String> {
    value.clone().filter(|value| !value.is_empty())
}

/// Parses a base URL that a path can be appended to. Links begin with it, so it must not need escaping.
/// A network, or an address as a network of its own.
fn proxies(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let network = text.parse().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map_err(|_| "is neither an address nor a network; as 10.0.0.1 or 10.0.0.0/8".to_owned())
}

fn public_url(text: &str) -> Result<String, String> {
    let url = text.trim_end_matches('/');
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or_default();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:/[]%".contains(letter);
    let right = !rest.is_empty() && !rest.starts_with('/') && rest.chars().all(plain) && url.len() <= 200;
    // As elsewhere, an empty value counts as unset.
    if url.is_empty() || right {
        return Ok(url.to_owned());
    }
    Err("must be an address like https://yaniv.example, perhaps with a path".to_owned())
}

/// Parses the link of a client with a place for the code; it must not need escaping. An empty value counts as
/// unset.
fn join_link(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")).unwrap_or_default();
    let around: Vec<&str> = rest.split(CODE).collect();
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-._~:/[]%?#=&".contains(letter);
    let right = matches!(around.as_slice(), [host, after]
        if host.split_once('/').is_some_and(|(host, _)| !host.is_empty())
            && host.chars().chain(after.chars()).all(plain));
    if text.is_empty() || (right && text.len() <= 200) {
        return Ok(text.to_owned());
    }
    Err(format!("must be an address with {CODE} in it once, like https://play.example/join/{CODE}"))
}

/// Parses a contact address. An empty value counts as unset.
fn contact(text: &str) -> Result<String, String> {
    let right = text.is_empty() || text.starts_with("mailto:") || text.starts_with("https://");
    let plain = text.len() <= 200 && text.chars().all(|letter| letter.is_ascii_graphic());
    if right && plain { Ok(text.to_owned()) } else { Err("must be mailto:… or https://…".to_owned()) }
}

/// A value given directly or by file. An empty value counts as unset, because container files leave variables
/// out that way.
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
