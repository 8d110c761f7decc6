//! Content of a notification, in each format: the account, the kind, the match, the other players.
//!
//! Nothing of the game itself, no cards, no points: it is shown on locked screens and passes through
//! third-party servers.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use yaniv_db::notifications::channels::WEB_PUSH;
use yaniv_db::notifications::delivery_claims::ClaimedDelivery;
use yaniv_model::times::print_time;
use yaniv_outbound::push::{NotEncrypted, Subscription, encrypt};
use yaniv_outbound::webhook::signatures;
use yaniv_outbound::{Destination, Post};

use crate::notifications::Notifications;
use crate::notifications::channels::kinds::Kind;
use crate::notifications::outbox::link;

/// Time to live at the push service of a notification without a deadline, in seconds.
const KEPT: i64 = 3 * 24 * 60 * 60;

/// Why a notification cannot be sent at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unsendable {
    /// The address is no longer allowed.
    NotAllowed,
    /// The browser's keys are not valid.
    BadKeys,
    /// It exceeds the size limit of push services.
    TooLong,
}

impl Unsendable {
    /// The name shown to the channel's owner.
    pub(crate) fn name(self) -> &'static str {
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

impl Notifications {
    /// The HTTP request of a notification.
    pub(crate) fn post(&self, told: &ClaimedDelivery) -> Result<Post, Unsendable> {
        let to = Destination::parse(&told.url, self.private).map_err(|_| Unsendable::NotAllowed)?;
        let said = Content::new(told, self.public_url.as_deref());
        if told.format == WEB_PUSH { self.push(told, &said, to) } else { Ok(webhook(told, &said, to)) }
    }

    fn push(&self, told: &ClaimedDelivery, said: &Content<'_>, to: Destination) -> Result<Post, Unsendable> {
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
            // Replaces an older, undelivered notification of the same match at the push service.
            let topic = topic(&told.secret, id);
            put(&mut headers, HeaderName::from_static("topic"), &topic);
        }
        Ok(Post { to, headers, body })
    }
}

/// Push topic, one per match and browser. A hash, so that push services do not learn the match.
fn topic(secret: &[u8], id: Uuid) -> String {
    let hash = Sha256::new().chain_update(secret).chain_update(id.as_bytes()).finalize();
    URL_SAFE_NO_PAD.encode(hash).chars().take(32).collect()
}

fn webhook(told: &ClaimedDelivery, said: &Content<'_>, to: Destination) -> Post {
    let text = said.line();
    let (kind, body) = match told.format.as_str() {
        // Names in the text must not trigger mentions.
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

/// Adds a header. Values are built from validated data; an invalid one is left out.
fn put(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// The content of a notification.
struct Content<'a> {
    told: &'a ClaimedDelivery,
    kind: Kind,
    link: Option<String>,
}

impl<'a> Content<'a> {
    fn new(told: &'a ClaimedDelivery, public_url: Option<&str>) -> Self {
        let kind = Kind::of(&told.kind).unwrap_or(Kind::Test);
        let id = told.match_id.or(told.challenge_id);
        let link = told.link.as_deref().map(|template| link::page(template, kind, id));
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
            Kind::Test => "Notifications arrive here.".to_owned(),
        }
    }

    /// Text line for humans, in a room with others.
    fn line(&self) -> String {
        let link = self.link.as_ref().map(|link| format!(" {link}")).unwrap_or_default();
        format!("{}: {}{link}", self.told.username, self.text())
    }

    /// Structured data for programs.
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

    /// The body of Standard Webhooks.
    fn standard(&self) -> Value {
        json!({"type": self.kind.name(), "timestamp": print_time(self.told.happened_at), "data": self.data()})
    }

    /// The body of Declarative Web Push; other browsers pass the same JSON to the page's service worker.
    fn declarative(&self) -> Value {
        let mut data = self.data();
        // The link is in `navigate` already; repeating it could exceed the size limit.
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
