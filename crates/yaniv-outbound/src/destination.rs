//! Destination of a notification: a URL given by the owner, validated as far as possible without network
//! access.

use std::net::IpAddr;

use reqwest::Url;

use crate::address::is_public;

/// Maximum length of a URL.
pub const MOST_LENGTH: usize = 1000;

/// Host names that have a meaning only inside a network.
const INSIDE: [&str; 10] =
    ["localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "localdomain", "arpa"];

/// A validated destination URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    url: Url,
    private: bool,
}

/// The destination is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing is sent to this address")]
pub struct NotAllowed;

impl Destination {
    /// Parses and validates a URL. With `private`, any host and plain HTTP are accepted.
    ///
    /// # Errors
    /// If the URL is invalid or visibly internal.
    pub fn parse(text: &str, private: bool) -> Result<Self, NotAllowed> {
        if text.len() > MOST_LENGTH || text.chars().any(|letter| letter.is_control() || letter == ' ') {
            return Err(NotAllowed);
        }
        let mut url = Url::parse(text).map_err(|_| NotAllowed)?;
        let scheme = url.scheme() == "https" || (private && url.scheme() == "http");
        let plain = url.username().is_empty() && url.password().is_none();
        if !scheme || !plain || url.cannot_be_a_base() {
            return Err(NotAllowed);
        }
        url.set_fragment(None);
        let destination = Self { url, private };
        if private || destination.is_outside() { Ok(destination) } else { Err(NotAllowed) }
    }

    /// Whether the host may be public, judging by its form. Names are checked again when resolved.
    fn is_outside(&self) -> bool {
        if self.url.port().is_some() {
            return false;
        }
        // The URL parser has already normalized IPv4 addresses in any base and with any number of dots.
        let host = self.url.host_str().unwrap_or_default();
        match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(address) => is_public(address),
            Err(_) => {
                let host = host.trim_end_matches('.');
                let last = host.rsplit('.').next().unwrap_or_default();
                host.contains('.') && !INSIDE.iter().any(|name| last.eq_ignore_ascii_case(name))
            }
        }
    }

    /// The complete URL.
    #[must_use]
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// Host and port: the key of the in-flight limits, so that destinations do not delay each other.
    #[must_use]
    pub fn host(&self) -> String {
        let host = self.url.host_str().unwrap_or_default().trim_end_matches('.');
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// Scheme, host and port: the audience of a signature.
    #[must_use]
    pub fn origin(&self) -> String {
        self.url.origin().ascii_serialization()
    }

    /// Whether internal addresses are accepted.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.private
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_seen_to_be_inside_are_refused_however_they_are_written() {
        let refused = [
            "http://example.com/",
            "ftp://example.com/",
            "file:///etc/passwd",
            "gopher://example.com/",
            "https://",
            "https:///hook",
            "example.com/hook",
            "https://user@example.com/",
            "https://user:secret@example.com/",
            "https://example.com:8443/",
            "https://localhost/",
            "https://LOCALHOST./",
            "https://db/",
            "https://db.local/",
            "https://db.internal./",
            "https://metadata.google.internal/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://0x7f.1/",
            "https://10.1.2.3./",
            "https://169.254.169.254/latest/meta-data/",
            "https://0/",
            "https://[::1]/",
            "https://[::]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://[2002:7f00:1::]/",
            "https://[fe80::1]/",
            "https://１２７.０.０.１/",
            "https://①②⑦.0.0.1/",
            "https://exam ple.com/",
            "https://example.com/\r\nX: y",
        ];
        for text in refused {
            assert_eq!(Destination::parse(text, false), Err(NotAllowed), "{text}");
        }
        assert_eq!(
            Destination::parse(&format!("https://example.com/{}", "a".repeat(1000)), false),
            Err(NotAllowed)
        );
    }

    #[test]
    fn addresses_outside_are_taken_and_private_ones_where_that_is_allowed() {
        let taken = Destination::parse("https://Push.Example.com:443/a?b=c#d", false).unwrap();
        assert_eq!(taken.url().as_str(), "https://push.example.com/a?b=c");
        assert_eq!(
            (taken.host().as_str(), taken.origin().as_str()),
            ("push.example.com", "https://push.example.com")
        );
        assert!(Destination::parse("https://1.1.1.1/", false).is_ok());
        let private = Destination::parse("http://127.0.0.1:8080/hook", true).unwrap();
        assert_eq!(private.host(), "127.0.0.1:8080");
        assert!(Destination::parse("ftp://127.0.0.1/", true).is_err());
    }
}
