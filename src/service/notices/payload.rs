//! What a notice says, in each form: who is told, of what, in which match, with whom. Nothing of the game itself: no cards, no
//! points. It is read on locked screens and by strangers' servers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, SecondsFormat, Utc};
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::Notices;
use super::kinds::Kind;
use crate::outward::push::{NotEncrypted, Subscription, encrypt};
use crate::outward::webhook::signatures;
use crate::outward::{Destination, Post};
use crate::store::channels::WEB_PUSH;
use crate::store::delivery_claims::ClaimedDelivery;

/// How long a push service keeps a notice that has no deadline, in seconds.
const KEPT: i64 = 3 * 24 * 60 * 60;

/// Why nothing can be sent at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unsendable {
    /// The address is one that nothing is sent to any more.
    NotAllowed,
    /// The browser's keys are none.
    BadKeys,
    /// It is more than push services take.
    TooLong,
}

impl Unsendable {
    /// As its owner reads it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::NotAllowed => "unreachable",
            Self::BadKeys => "bad_keys",
            Self::TooLong => "too_long",
        }
    }
}

impl From<NotEncrypted> for Unsendable {
    fn from(why: NotEncrypted) -> Self {
        match why {
            NotEncrypted::BadKey => Self::BadKeys,
            NotEncrypted::TooLong => Self::TooLong,
        }
    }
}

impl Notices {
    /// What is sent for a notice.
    pub(super) fn post(&self, told: &ClaimedDelivery) -> Result<Post, Unsendable> {
        let to = Destination::parse(&told.url, self.private).map_err(|_| Unsendable::NotAllowed)?;
        let said = Said::new(told, self.public_url.as_deref());
        if told.format == WEB_PUSH { self.push(told, &said, to) } else { Ok(webhook(told, &said, to)) }
    }

    fn push(&self, told: &ClaimedDelivery, said: &Said<'_>, to: Destination) -> Result<Post, Unsendable> {
        let public = told.public_key.as_deref().ok_or(Unsendable::BadKeys)?;
        let text = said.declarative().to_string();
        let body = encrypt(text.as_bytes(), Subscription { public, auth: &told.secret })?;
        let mut headers = HeaderMap::new();
        let now = told.now.timestamp();
        let left = told.deadline.map_or(KEPT, |deadline| (deadline - told.now).num_seconds());
        let signed = self.key.authorization(&to.origin(), now).ok_or(Unsendable::BadKeys)?;
        put(&mut headers, AUTHORIZATION, &signed);
        put(&mut headers, CONTENT_TYPE, "application/octet-stream");
        put(&mut headers, CONTENT_ENCODING, "aes128gcm");
        put(&mut headers, HeaderName::from_static("ttl"), &left.clamp(0, KEPT).to_string());
        let urgent = matches!(said.kind, Kind::DeadlineNear | Kind::Test);
        put(&mut headers, HeaderName::from_static("urgency"), if urgent { "high" } else { "normal" });
        if let Some(id) = told.match_id.filter(|_| said.kind.is_of_turn()) {
            // What is still to be fetched of an older turn is of no interest any more.
            let topic = topic(&told.secret, id);
            put(&mut headers, HeaderName::from_static("topic"), &topic);
        }
        Ok(Post { to, headers, body })
    }
}

/// One for each match and browser; push services do not learn which match it is.
fn topic(secret: &[u8], id: Uuid) -> String {
    let hash = Sha256::new().chain_update(secret).chain_update(id.as_bytes()).finalize();
    URL_SAFE_NO_PAD.encode(hash).chars().take(32).collect()
}

fn webhook(told: &ClaimedDelivery, said: &Said<'_>, to: Destination) -> Post {
    let text = said.line();
    let (kind, body) = match told.format.as_str() {
        // Nobody is called by what is in a name.
        "discord" => (JSON, json!({"content": text, "allowed_mentions": {"parse": []}}).to_string()),
        "slack" => (JSON, json!({"text": text}).to_string()),
        "ntfy" => ("text/plain; charset=utf-8", text),
        _ => (JSON, said.standard().to_string()),
    };
    let body = body.into_bytes();
    let mut headers = HeaderMap::new();
    put(&mut headers, CONTENT_TYPE, kind);
    if told.format == "ntfy" {
        put(&mut headers, HeaderName::from_static("title"), said.title());
        if let Some(link) = &said.link {
            put(&mut headers, HeaderName::from_static("click"), link);
        }
    }
    let (id, now) = (told.id.to_string(), told.now.timestamp());
    let secrets: Vec<&[u8]> =
        std::iter::once(told.secret.as_slice()).chain(told.previous_secret.as_deref()).collect();
    put(&mut headers, HeaderName::from_static("webhook-id"), &id);
    put(&mut headers, HeaderName::from_static("webhook-timestamp"), &now.to_string());
    put(&mut headers, HeaderName::from_static("webhook-signature"), &signatures(&secrets, &id, now, &body));
    Post { to, headers, body }
}

const JSON: &str = "application/json";

/// Headers are made of what we have checked; what does not fit after all is left out.
fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// What is said.
struct Said<'a> {
    told: &'a ClaimedDelivery,
    kind: Kind,
    link: Option<String>,
}

impl<'a> Said<'a> {
    fn new(told: &'a ClaimedDelivery, public_url: Option<&str>) -> Self {
        let kind = Kind::of(&told.kind).unwrap_or(Kind::Test);
        let id = told.match_id.or(told.challenge_id).map(|id| id.to_string()).unwrap_or_default();
        let link = told.link.as_deref().map(|link| link.replace("{id}", &id));
        Self { told, kind, link: link.or_else(|| public_url.map(str::to_owned)) }
    }

    fn title(&self) -> &'static str {
        match self.kind {
            Kind::YourTurn => "Your turn",
            Kind::DeadlineNear => "Your time runs out",
            Kind::Nudged => "You are waited for",
            Kind::Invited => "A challenge",
            Kind::RoundOver => "Round over",
            Kind::MatchOver => "Match over",
            Kind::Test => "A test",
        }
    }

    fn text(&self) -> String {
        let others = self.told.others.as_deref().unwrap_or("nobody");
        match self.kind {
            Kind::YourTurn => format!("It is your turn against {others}."),
            Kind::DeadlineNear => {
                let until = self.told.deadline.map(|at| at.format(" until %F %R UTC").to_string());
                format!("You have time{} against {others}.", until.unwrap_or_default())
            }
            Kind::Nudged => format!("You are asked to go on, in the match against {others}."),
            Kind::Invited => format!("{others} challenges you to a match."),
            Kind::RoundOver => format!("A round against {others} is over."),
            Kind::MatchOver => format!("The match against {others} is over."),
            Kind::Test => "Notices arrive here.".to_owned(),
        }
    }

    /// For people, in a room with others.
    fn line(&self) -> String {
        let link = self.link.as_ref().map(|link| format!(" {link}")).unwrap_or_default();
        format!("{}: {}{link}", self.told.username, self.text())
    }

    /// What programs are told.
    fn data(&self) -> Map<String, Value> {
        let told = self.told;
        let mut data = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                data.insert(name.to_owned(), value);
            }
        };
        let id = |id: Option<Uuid>| id.map(|id| Value::from(id.to_string()));
        put("username", Some(told.username.clone().into()));
        put("match_id", id(told.match_id));
        put("version", told.version.map(Value::from));
        put("challenge_id", id(told.challenge_id));
        let names: Vec<&str> =
            told.others.as_deref().map(|names| names.split(", ").collect()).unwrap_or_default();
        put("others", Some(names.into()));
        put("deadline", told.deadline.map(|at| print_time(at).into()));
        put("link", self.link.clone().map(Value::from));
        data
    }

    /// Standard Webhooks.
    fn standard(&self) -> Value {
        json!({"type": self.kind.name(), "timestamp": print_time(self.told.happened_at), "data": self.data()})
    }

    /// Declarative Web Push; other browsers give the same JSON to the page's service worker.
    fn declarative(&self) -> Value {
        let mut data = self.data();
        // It is said where to go; twice, it might be too long.
        data.remove("link");
        data.insert("id".to_owned(), self.told.id.to_string().into());
        data.insert("type".to_owned(), self.kind.name().into());
        let mut notification = Map::new();
        notification.insert("title".to_owned(), self.title().into());
        notification.insert("body".to_owned(), self.text().into());
        notification.insert("lang".to_owned(), "en".into());
        if let Some(link) = &self.link {
            notification.insert("navigate".to_owned(), link.clone().into());
        }
        if let Some(id) = self.told.match_id.or(self.told.challenge_id) {
            notification.insert("tag".to_owned(), id.to_string().into());
        }
        notification.insert("data".to_owned(), data.into());
        let mut message = Map::new();
        message.insert("web_push".to_owned(), 8030.into());
        message.insert("notification".to_owned(), notification.into());
        if let Some(waiting) = self.told.waiting {
            message.insert("app_badge".to_owned(), waiting.into());
        }
        message.into()
    }
}

fn print_time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}
