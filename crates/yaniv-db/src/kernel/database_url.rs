//! The database URL: what tokio-postgres reads of it, and the parameters of TLS that only libpq and we know.

use std::collections::BTreeMap;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use super::connect_error::chain;
use super::tls::{ClientFiles, Roots, TlsSettings, Trust};

/// Parameters that tokio-postgres does not know, or of which it does not know all values.
const OURS: [&str; 4] = ["sslmode", "sslrootcert", "sslcert", "sslkey"];

/// Checks a database URL (or the form `host=… user=…`) and the files that it names, without connecting.
///
/// # Errors
/// What is wrong, and what to set.
pub fn check(url: &str) -> Result<(), String> {
    url.parse::<DatabaseUrl>()?.tls.connector().map(drop)
}

/// A parsed database URL.
pub(crate) struct DatabaseUrl {
    pub(crate) config: Config,
    pub(crate) tls: TlsSettings,
}

impl DatabaseUrl {
    /// The names of its hosts, in their order.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let ports = self.config.get_ports();
        let port = |index| ports.get(index).or_else(|| ports.first()).copied().unwrap_or(5432);
        let hosts = self.config.get_hosts().iter().enumerate();
        hosts
            .map(|(index, host)| match host {
                Host::Tcp(name) => format!("{name}:{}", port(index)),
                Host::Unix(directory) => format!("{}:{}", directory.display(), port(index)),
            })
            .collect()
    }

    /// The same URL with one of its hosts alone.
    pub(crate) fn at(&self, index: usize) -> Self {
        let config = &self.config;
        let mut one = Config::new();
        match config.get_hosts().get(index) {
            Some(Host::Tcp(name)) => _ = one.host(name),
            Some(Host::Unix(directory)) => _ = one.host_path(directory),
            None => {}
        }
        config.get_hostaddrs().get(index).map(|address| one.hostaddr(*address));
        let ports = config.get_ports();
        ports.get(index).or_else(|| ports.first()).map(|port| one.port(*port));
        config.get_user().map(|user| one.user(user));
        config.get_password().map(|password| one.password(password));
        config.get_dbname().map(|name| one.dbname(name));
        config.get_options().map(|options| one.options(options));
        one.ssl_mode(config.get_ssl_mode()).ssl_negotiation(config.get_ssl_negotiation());
        one.channel_binding(config.get_channel_binding());
        one.target_session_attrs(config.get_target_session_attrs()).keepalives(config.get_keepalives());
        Self { config: one, tls: self.tls.clone() }
    }
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_url = text.starts_with("postgres://") || text.starts_with("postgresql://");
        let (rest, given) = if is_url { split_url(text) } else { split_pairs(text) };
        let mut config: Config = rest.parse().map_err(|error| chain(&error))?;
        let (mode, tls) = settings(&given)?;
        config.ssl_mode(mode);
        if config.get_hosts().is_empty() {
            // A certificate may be for an address, too.
            for address in config.get_hostaddrs().to_vec() {
                config.host(address.to_string());
            }
        }
        if config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_))) {
            // PostgreSQL has no TLS on sockets.
            config.ssl_mode(SslMode::Disable);
        }
        Ok(Self { config, tls })
    }
}

/// Values of our parameters, by name.
type Given = BTreeMap<String, String>;

/// The parameters of TLS, with the meaning that libpq gives them.
fn settings(given: &Given) -> Result<(SslMode, TlsSettings), String> {
    let value = |name: &str| given.get(name).map(String::as_str).filter(|value| !value.is_empty());
    let roots = value("sslrootcert").map(|place| match place {
        "system" => Roots::System,
        file => Roots::File(file.into()),
    });
    let default = if matches!(roots, Some(Roots::System)) { "verify-full" } else { "prefer" };
    let (mode, trust) = match (value("sslmode").unwrap_or(default), roots) {
        ("disable", _) => return Ok((SslMode::Disable, TlsSettings::default())),
        ("prefer", None) => (SslMode::Prefer, Trust::Anyone),
        ("require", None) => (SslMode::Require, Trust::Anyone),
        ("require" | "verify-ca", Some(Roots::File(file))) => (SslMode::Require, Trust::Chain(file)),
        ("verify-full", Some(roots)) => (SslMode::Require, Trust::Host(roots)),
        (mode @ ("verify-ca" | "verify-full"), None) => {
            return Err(format!(
                "sslmode={mode} needs a CA: set sslrootcert to its PEM file, or to system with sslmode=verify-full"
            ));
        }
        (mode @ ("prefer" | "require" | "verify-ca"), Some(Roots::System)) => {
            return Err(format!(
                "sslmode={mode} does not check the host, and everybody can have a certificate of the system's CAs: \
                 with sslrootcert=system set sslmode=verify-full"
            ));
        }
        ("prefer", Some(_)) => {
            return Err("sslrootcert has no effect with sslmode=prefer: set sslmode=verify-full".to_owned());
        }
        (mode, _) => {
            return Err(format!(
                "sslmode={mode} is unknown: set disable, prefer, require, verify-ca or verify-full"
            ));
        }
    };
    let client = match (value("sslcert"), value("sslkey")) {
        (Some(certificate), Some(key)) => {
            Some(ClientFiles { certificate: certificate.into(), key: key.into() })
        }
        (None, None) => None,
        (Some(_), None) => return Err("sslcert needs its private key: set sslkey".to_owned()),
        (None, Some(_)) => return Err("sslkey needs its certificate: set sslcert".to_owned()),
    };
    Ok((mode, TlsSettings { trust, client }))
}

/// Takes our parameters out of a URL.
fn split_url(url: &str) -> (String, Given) {
    // A password may contain a question mark.
    let (credentials, place) = url.split_at(url.find('@').unwrap_or(0));
    let Some((place, query)) = place.split_once('?') else { return (url.to_owned(), Given::new()) };
    let (mut kept, mut given) = (Vec::new(), Given::new());
    for pair in query.split('&') {
        match pair.split_once('=').filter(|(name, _)| OURS.contains(name)) {
            Some((name, value)) => {
                let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
                given.insert(name.to_owned(), value);
            }
            None => kept.push(pair),
        }
    }
    let mark = if kept.is_empty() { "" } else { "?" };
    (format!("{credentials}{place}{mark}{}", kept.join("&")), given)
}

/// Takes our parameters out of `host=… user='…'`.
fn split_pairs(text: &str) -> (String, Given) {
    let (mut kept, mut given) = (String::new(), Given::new());
    let mut rest = text;
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = first_value(after.trim_start());
        if OURS.contains(&name.trim()) {
            given.insert(name.trim().to_owned(), value);
        } else {
            kept.push_str(rest.strip_suffix(after).unwrap_or(rest));
        }
        rest = after;
    }
    (kept + rest, given)
}

/// The value at the start of a text, without quotes and backslashes, and what follows it.
fn first_value(text: &str) -> (String, &str) {
    let quoted = text.starts_with('\'');
    let mut value = String::new();
    let mut letters = text.chars();
    if quoted {
        letters.next();
    }
    loop {
        let before = letters.as_str();
        match letters.next() {
            None => return (value, ""),
            Some('\'') if quoted => return (value, letters.as_str()),
            Some(letter) if letter.is_whitespace() && !quoted => return (value, before),
            Some('\\') => value.extend(letters.next()),
            Some(letter) => value.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> DatabaseUrl {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[test]
    fn both_forms_name_the_same() {
        let url = "postgres://ada:a?b@db.example:6432/yaniv?sslmode=verify-full&connect_timeout=3\
                   &sslrootcert=%2Fetc%2Fmy%20ca.pem&sslcert=/c.pem&sslkey=/k.pem&channel_binding=require";
        let pairs = r"host=db.example sslmode = verify-full user=ada password=a?b port=6432 connect_timeout=3
                      sslrootcert='/etc/my ca.pem' dbname=yaniv sslcert=/c.pem sslkey='/k.pem' channel_binding=require";

        let (url, pairs) = (parsed(url), parsed(pairs));

        assert_eq!(url.config, pairs.config);
        assert_eq!(url.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(url.tls, pairs.tls);
        assert_eq!(url.tls.trust, Trust::Host(Roots::File("/etc/my ca.pem".into())));
    }

    #[test]
    fn other_parameters_stay_as_they_are() {
        for text in [
            "postgres://u@h/d?options=-c%20a%3Db&sslmode=disable&target_session_attrs=read-write",
            r"host=h sslmode=disable user=u options='-c a=b' dbname='d' target_session_attrs=read-write",
            r"sslmode='disable' host=h user=u options=-c\ a=b dbname=d target_session_attrs=read-write",
        ] {
            let config = parsed(text).config;

            assert_eq!(config.get_options(), Some("-c a=b"), "{text}");
            assert_eq!((config.get_user(), config.get_dbname()), (Some("u"), Some("d")), "{text}");
            assert_eq!(config.get_ssl_mode(), SslMode::Disable, "{text}");
        }
    }

    #[test]
    fn one_host_of_several_keeps_the_rest_of_the_url() {
        let url = parsed(
            "postgres://u:p@a:1,b:2/d?options=-c%20a%3Db&sslmode=require&target_session_attrs=read-write",
        );

        assert_eq!(url.hosts(), ["a:1", "b:2"]);
        let alone =
            parsed("postgres://u:p@b:2/d?options=-c%20a%3Db&sslmode=require&target_session_attrs=read-write");
        assert_eq!(url.at(1).config, alone.config);
        let sockets = parsed("postgres://u@%2Fa,%2Fb:5/d");
        assert_eq!(sockets.hosts(), ["/a:5432", "/b:5"]);
        assert_eq!(sockets.at(1).config, parsed("postgres://u@%2Fb:5/d").config);
    }

    #[test]
    fn defaults_are_those_of_libpq() {
        let system = parsed("postgres://h/d?sslrootcert=system");
        assert_eq!(system.tls.trust, Trust::Host(Roots::System));
        assert_eq!(system.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(parsed("postgres://h/d").config.get_ssl_mode(), SslMode::Prefer);
        let checked = parsed("postgres://h/d?sslmode=require&sslrootcert=/ca.pem");
        assert_eq!(checked.tls.trust, Trust::Chain("/ca.pem".into()));
        let socket = parsed("postgres:///d?host=/run/postgresql&sslmode=require");
        assert_eq!(socket.config.get_ssl_mode(), SslMode::Disable);
        let address = parsed("hostaddr=192.0.2.1 sslmode=require");
        assert_eq!(address.config.get_hosts(), [Host::Tcp("192.0.2.1".to_owned())]);
    }
}
