//! The HTTP request of a notification, in the format of its channel. What it says is in `content`.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
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
use yaniv_texts::Text;

use crate::notifications::Notifications;
use crate::notifications::channels::kinds::Kind;
use crate::notifications::outbox::content::Content;
use crate::notifications::outbox::situation::Situation;

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
    pub(crate) fn post(&self, told: &ClaimedDelivery, situation: &Situation) -> Result<Post, Unsendable> {
        let to = Destination::parse(&told.url, self.private).map_err(|_| Unsendable::NotAllowed)?;
        let said = Content::new(told, situation, self.public_url.as_deref());
        if told.format == WEB_PUSH { self.push(told, &said, to) } else { Ok(webhook(told, &said, to)) }
    }

    fn push(&self, told: &ClaimedDelivery, said: &Content<'_>, to: Destination) -> Result<Post, Unsendable> {
        let public = told.public_key.as_deref().ok_or(Unsendable::BadKeys)?;
        let text = declarative(said).to_string();
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
        if let Some(id) = told.match_id.filter(|_| said.kind.is_of_turn() || said.kind == Kind::TableFull) {
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
    let plain = |text: &str| text.to_owned();
    let (kind, body) = match told.format.as_str() {
        "discord" => {
            // Names in the text must not trigger mentions.
            let content = line(said, without_markdown);
            (JSON, json!({"content": content, "allowed_mentions": {"parse": []}}).to_string())
        }
        "slack" => (JSON, json!({"text": line(said, plain), "mrkdwn": false}).to_string()),
        "ntfy" => ("text/plain; charset=utf-8", with_link(said.addressed(&said.text.body), said)),
        _ => (JSON, standard(said).to_string()),
    };
    let body = body.into_bytes();
    let mut headers = HeaderMap::new();
    put(&mut headers, CONTENT_TYPE, kind);
    if told.format == "ntfy" {
        put(&mut headers, HeaderName::from_static("title"), &header_text(&said.text.title));
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

/// The body of Standard Webhooks, with the text besides.
fn standard(said: &Content<'_>) -> Value {
    let Text { title, body } = &said.text;
    json!({
        "type": said.kind.name(),
        "timestamp": print_time(said.told.happened_at),
        "data": said.parameters(),
        "text": {"language": said.language.tag(), "title": title, "body": body},
    })
}

/// The body of Declarative Web Push; other browsers pass the same JSON to the page's service worker.
pub(super) fn declarative(said: &Content<'_>) -> Value {
    let mut parameters = said.parameters();
    // The link is in `navigate` already; repeating it could exceed the size limit.
    parameters.remove("link");
    let mut notification = Map::new();
    let mut put = |name: &str, value: Value| drop(notification.insert(name.to_owned(), value));
    put("title", said.text.title.clone().into());
    put("body", said.text.body.clone().into());
    put("lang", said.language.tag().into());
    put("dir", if said.language.is_right_to_left() { "rtl" } else { "ltr" }.into());
    if let Some(link) = &said.link {
        put("navigate", link.clone().into());
    }
    if let Some(id) = said.told.match_id.or(said.told.challenge_id) {
        put("tag", id.to_string().into());
    }
    let (id, code) = (said.told.id.to_string(), said.kind.name());
    put("data", json!({"delivery_id": id, "code": code, "parameters": parameters}));
    let mut message = Map::new();
    message.insert("web_push".to_owned(), 8030.into());
    message.insert("notification".to_owned(), notification.into());
    if let Some(waiting) = said.told.waiting {
        message.insert("app_badge".to_owned(), waiting.into());
    }
    message.into()
}

/// A line of text for people, in a room with others. The link is never escaped: it has to stay one.
fn line(said: &Content<'_>, escape: fn(&str) -> String) -> String {
    let text = escape(&said.addressed(&format!("{} – {}", said.text.title, said.text.body)));
    with_link(text, said)
}

fn with_link(text: String, said: &Content<'_>) -> String {
    match &said.link {
        Some(link) => format!("{text} {link}"),
        None => text,
    }
}

/// Text in which Discord finds no Markdown: usernames have underscores.
fn without_markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '\\' | '_' | '*' | '~' | '`' | '|' | '>' | '#' | '[' | ']') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// A header's value: as it is in ASCII, otherwise an encoded word (RFC 2047), which ntfy decodes.
fn header_text(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { format!("=?UTF-8?B?{}?=", STANDARD.encode(text)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_for_their_channel() {
        assert_eq!(without_markdown("__ada__ *won*"), r"\_\_ada\_\_ \*won\*");
        assert_eq!(header_text("Your turn"), "Your turn");
        assert_eq!(header_text("תורך"), "=?UTF-8?B?16rXldeo15o=?=");
    }
}
