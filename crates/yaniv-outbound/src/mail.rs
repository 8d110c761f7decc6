//! E-mail: one message, one attempt, to the mail server (SMTP) that the operator has configured.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use lettre::message::Mailbox;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::transport::smtp::{AsyncSmtpTransportBuilder, Error as SmtpError};
use lettre::{Address, AsyncSmtpTransport, AsyncTransport, Message, Tokio1Executor};
use reqwest::Url;

use crate::post::{Answer, Failure};

/// Timeout of a whole message. Shorter than the claim of a delivery; some servers let strangers wait.
const WHOLE: Duration = Duration::from_secs(30);
/// Timeout of the connect.
const CONNECTED: Duration = Duration::from_secs(10);
/// What is reported for a message that the server has accepted.
const ACCEPTED: u16 = 250;
/// What is reported for a message that cannot be built: "mailbox name not allowed".
const NOT_ALLOWED: u16 = 553;

/// Codes about the log-in at the mail server (RFC 4954), which is the same for all messages.
const NOT_LOGGED_IN: [u16; 5] = [454, 530, 534, 535, 538];

/// A message.
#[derive(Clone, Debug)]
pub struct Mail {
    /// Address of the recipient.
    pub to: String,
    /// Identifier; the same in a retry, so that mailboxes can recognize a duplicate.
    pub id: String,
    /// Subject.
    pub subject: String,
    /// The plain text.
    pub text: String,
    /// Tag of its language (BCP 47).
    pub language: &'static str,
    /// The link that unsubscribes by one POST (RFC 8058), for messages to which the recipient has subscribed.
    pub unsubscribe: Option<String>,
}

/// Why the configuration of the mail server cannot be used.
#[derive(Debug)]
pub struct BadMailServer(String);

impl fmt::Display for BadMailServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for BadMailServer {}

/// The address of the mail server, and the sender of messages. No `Debug`: the address has a password.
pub struct MailServer {
    server: AsyncSmtpTransportBuilder,
    from: Mailbox,
}

impl MailServer {
    /// The server at `url`: `smtps://user:password@host:465` (TLS), `smtp://host:587?tls=required` (STARTTLS), or, without
    /// TLS, `smtp://host:25`. `from` is the sender, as `Yaniv <yaniv@host>`.
    ///
    /// # Errors
    /// If one of them cannot be parsed; or if the connection would be without TLS, unless the server is on this
    /// machine or `plain` allows it.
    pub fn parse(url: &str, from: &str, plain: bool) -> Result<Self, BadMailServer> {
        let bad = |what: &str| BadMailServer(what.to_owned());
        // The URL may contain a password: messages of its parser are not passed on.
        let form =
            "the SMTP URL must be smtps://user:password@host or smtp://user:password@host?tls=required";
        let parsed = Url::parse(url).map_err(|_| bad(form))?;
        let tls = parsed.scheme() == "smtps"
            || parsed.query_pairs().any(|(name, value)| name == "tls" && value == "required");
        let local = matches!(parsed.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        let server = AsyncSmtpTransport::<Tokio1Executor>::from_url(url).map_err(|_| bad(form))?;
        if !(tls || local || plain) {
            return Err(bad(
                "the SMTP URL must begin with smtps:// or have ?tls=required (STARTTLS), unless the \
                            server is on this machine or YANIV_PRIVATE_DESTINATIONS is on",
            ));
        }
        let from =
            from.parse().map_err(|_| bad("the sender must be an address, as `Yaniv <yaniv@example.org>`"))?;
        Ok(Self { server: server.timeout(Some(CONNECTED)), from })
    }
}

/// The SMTP client. Cheap to clone; keeps connections for reuse.
#[derive(Clone)]
pub struct MailSender {
    /// None: sending is disabled.
    server: Option<(AsyncSmtpTransport<Tokio1Executor>, Mailbox)>,
}

impl MailSender {
    /// A client of this server, within a runtime of tokio. Does not connect yet.
    #[must_use]
    pub fn new(server: MailServer) -> Self {
        let MailServer { server, from } = server;
        Self { server: Some((server.build(), from)) }
    }

    /// A disabled client, for a service without a mail server.
    #[must_use]
    pub fn off() -> Self {
        Self { server: None }
    }

    /// Whether sending is enabled.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.server.is_some()
    }

    /// Sends a message once, without retry. The status is the code of SMTP: 250 if the server has accepted it, 4xx if a
    /// retry may succeed, 5xx if not.
    pub async fn send(&self, mail: Mail) -> Answer {
        let Some((server, from)) = &self.server else { return Answer::None(Failure::Unreachable) };
        let Some(message) = message(mail, from) else { return Answer::Status(NOT_ALLOWED, None) };
        match tokio::time::timeout(WHOLE, server.send(message)).await {
            Ok(Ok(_)) => Answer::Status(ACCEPTED, None),
            Ok(Err(error)) => refused(&error),
            Err(_) => {
                tracing::warn!("the mail server does not answer in time");
                Answer::None(Failure::Timeout)
            }
        }
    }
}

fn refused(error: &SmtpError) -> Answer {
    match error.status().map(u16::from) {
        Some(status) if !NOT_LOGGED_IN.contains(&status) => {
            // Without the response, which may quote the address.
            tracing::info!(status, "the mail server refused a message");
            Answer::Status(status, None)
        }
        // About the service and its mail server, not about the message: a retry may succeed once the operator has acted.
        _ => {
            tracing::warn!(%error, "the mail server cannot be used");
            Answer::None(if error.is_timeout() { Failure::Timeout } else { Failure::Unreachable })
        }
    }
}

/// Whether a text is an e-mail address that can be written to.
///
/// Not to a host by its number, not through another host (`a%b@relay`, `b!a@relay`), and not what a program could take for
/// an option.
#[must_use]
pub fn is_address(text: &str) -> bool {
    text.len() <= 254
        && text.is_ascii()
        && !text.starts_with('-')
        && text
            .parse::<Address>()
            .is_ok_and(|to| is_domain(to.domain()) && !to.user().contains(['%', '!', '"']))
}

/// Whether a domain is a name of several labels, the last of which is not a number.
fn is_domain(domain: &str) -> bool {
    let last = domain.rsplit('.').next().unwrap_or_default();
    domain.contains('.')
        && last.bytes().any(|byte| byte.is_ascii_alphabetic())
        && domain.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
}

fn message(mail: Mail, from: &Mailbox) -> Option<Message> {
    let Mail { to, id, subject, text, language, unsubscribe } = mail;
    let mut message = Message::builder()
        .from(from.clone())
        .to(Mailbox::new(None, to.parse().ok()?))
        .subject(subject)
        .date_now()
        .message_id(Some(format!("<{id}@{}>", from.email.domain())))
        // Answers of absent people must not come back (RFC 3834).
        .raw_header(header("Auto-Submitted", "auto-generated"))
        .raw_header(header("Content-Language", language));
    if let Some(link) = unsubscribe {
        message = message
            .raw_header(header("List-Unsubscribe", &format!("<{link}>")))
            .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
    }
    message.header(ContentType::TEXT_PLAIN).body(text).ok()
}

/// A header with an ASCII value that needs no folding.
fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::dangerous_new_pre_encoded(
        HeaderName::new_from_ascii_str(name),
        value.to_owned(),
        value.to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_the_headers_of_its_kind() {
        let mail = |unsubscribe| Mail {
            to: "ada@example.org".to_owned(),
            id: "0197".to_owned(),
            subject: "\u{5ea}\u{5d5}\u{5e8}\u{5da}".to_owned(),
            text: "Hello\n".to_owned(),
            language: "he",
            unsubscribe,
        };
        let from: Mailbox = "Yaniv <yaniv@example.com>".parse().unwrap();
        let text = |mail| String::from_utf8(message(mail, &from).unwrap().formatted()).unwrap();
        let plain = text(mail(None));
        assert!(plain.contains("\r\nMessage-ID: <0197@example.com>\r\n"), "{plain}");
        assert!(plain.contains("\r\nContent-Language: he\r\n"), "{plain}");
        assert!(plain.contains("\r\nAuto-Submitted: auto-generated\r\n"), "{plain}");
        assert!(plain.contains("Subject: =?utf-8?b?16rXldeo15o=?="), "{plain}");
        assert!(!plain.contains("List-Unsubscribe"), "{plain}");
        let link = format!("https://yaniv.example/unsubscribe/{}", "a".repeat(80));
        let listed = text(mail(Some(link.clone())));
        assert!(listed.contains(&format!("\r\nList-Unsubscribe: <{link}>\r\n")), "{listed}");
        assert!(listed.contains("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n"), "{listed}");
    }

    #[test]
    fn without_tls_only_the_machine_itself_is_a_mail_server() {
        for (url, plain, right) in [
            ("smtps://ada:secret@mail.example.org", false, true),
            ("smtp://mail.example.org:587?tls=required", false, true),
            ("smtp://mail.example.org", false, false),
            ("smtp://mail.example.org?tls=opportunistic", false, false),
            ("smtp://mail.example.org", true, true),
            ("smtp://127.0.0.1:2525", false, true),
            ("https://mail.example.org", true, false),
            ("mail.example.org", true, false),
        ] {
            let server = MailServer::parse(url, "Yaniv <yaniv@example.org>", plain);
            assert_eq!(server.is_ok(), right, "{url}");
        }
        assert!(MailServer::parse("smtps://mail.example.org", "Yaniv", false).is_err());
    }

    #[test]
    fn an_address_has_a_domain_and_nothing_else() {
        for text in ["ada@example.org", "ada+yaniv@mail.example.org"] {
            assert!(is_address(text), "{text}");
        }
        for text in [
            "",
            "ada",
            "ada@",
            "ada@localhost",
            "Ada <ada@example.org>",
            "ada@example.org\r\nBcc: bob@x.org",
            "ada@[127.0.0.1]",
            "ada@[IPv6:::1]",
            "ada@127.0.0.1",
            "ada%example.org@relay.example",
            "example.org!ada@relay.example",
            "-oQ@example.org",
            "\"-oQ\"@example.org",
        ] {
            assert!(!is_address(text), "{text}");
        }
    }
}
