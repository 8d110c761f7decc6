//! Content of a notification: the text in the recipient's language, and code and parameters, the same in all languages.
//!
//! Code and parameters are for clients that write texts of their own. The formats of channels are in `payload`.
//!
//! No cards, and no points of a round in play: it is shown on locked screens and passes through third-party servers.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;
use yaniv_db::notifications::delivery_claims::ClaimedDelivery;
use yaniv_engine::PhaseKind;
use yaniv_model::times::print_time;
use yaniv_texts::{Facts, Language, Message, Text, deadline, isolated, render};

use crate::notifications::channels::kinds::Kind;
use crate::notifications::channels::settings::zone;
use crate::notifications::outbox::link;
use crate::notifications::outbox::situation::{Situation, Topic, Turn};

/// The content of a notification.
pub(crate) struct Content<'a> {
    /// The claimed delivery.
    pub told: &'a ClaimedDelivery,
    /// The kind of notification: its code.
    pub kind: Kind,
    /// The page that it opens.
    pub link: Option<String>,
    /// The recipient's language.
    pub language: Language,
    /// The text.
    pub text: Text,
    situation: &'a Situation,
}

impl<'a> Content<'a> {
    /// The content of a delivery; without a link of the channel, it opens `public_url`.
    pub(crate) fn new(told: &'a ClaimedDelivery, situation: &'a Situation, public_url: Option<&str>) -> Self {
        let kind = Kind::of(&told.kind).unwrap_or(Kind::Test);
        let id = told.match_id.or(told.challenge_id);
        let link = told.link.as_deref().map(|template| link::page(template, kind, id));
        let language = Language::of_account(told.language.as_deref());
        let text = text(told, situation, kind, language);
        Self { told, kind, link: link.or_else(|| public_url.map(str::to_owned)), language, text, situation }
    }

    /// The recipient's name in front of a text, in a room with others.
    pub(crate) fn addressed(&self, text: &str) -> String {
        format!("{}: {text}", isolated(self.language, &self.told.username))
    }

    /// The parameters, for programs.
    pub(crate) fn parameters(&self) -> Map<String, Value> {
        let told = self.told;
        let mut parameters = Parameters::default();
        parameters.put("username", told.username.clone());
        parameters.put_some("match_id", told.match_id.map(text_of));
        parameters.put_some("version", told.version);
        parameters.put_some("challenge_id", told.challenge_id.map(text_of));
        if self.kind == Kind::Digest {
            parameters.put("matches", waiting(told));
        }
        if told.match_id.is_some() {
            parameters.put("opponents", self.situation.opponents.clone());
        }
        self.topic(&mut parameters);
        parameters.put_some("deadline", told.deadline.map(print_time));
        parameters.put_some("link", self.link.clone());
        parameters.0
    }

    fn topic(&self, parameters: &mut Parameters) {
        let player = self.situation.player.clone();
        match &self.situation.topic {
            Topic::None => parameters.put_some("challenger", player),
            Topic::Turn(turn) => {
                parameters.put("round", turn.round);
                parameters.put("phase", turn.phase.as_str());
                parameters.put_some(actor(self.kind, turn.phase), player);
            }
            Topic::Round { round, scored } => {
                parameters.put("round", *round);
                parameters.put_some("score", scored.map(|(score, _)| score));
                parameters.put_some("total", scored.map(|(_, total)| total));
            }
            Topic::Match { rounds, players, place, .. } => {
                parameters.put("rounds", *rounds);
                parameters.put("players", *players);
                parameters.put_some("place", *place);
            }
        }
    }
}

/// Name of the parameter with the player who caused it.
fn actor(kind: Kind, phase: PhaseKind) -> &'static str {
    match (kind, phase) {
        (Kind::Nudged, _) => "nudged_by",
        (_, PhaseKind::Request) => "asker",
        _ => "caller",
    }
}

#[derive(Default)]
struct Parameters(Map<String, Value>);

impl Parameters {
    fn put(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    fn put_some(&mut self, name: &str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.put(name, value);
        }
    }
}

fn text_of(id: Uuid) -> String {
    id.to_string()
}

fn text(told: &ClaimedDelivery, situation: &Situation, kind: Kind, language: Language) -> Text {
    let until = told.deadline.map(|at| local(language, at, told)).unwrap_or_default();
    let facts = Facts {
        opponents: &situation.opponents,
        player: situation.player.as_deref().unwrap_or_default(),
        deadline: &until,
        matches: waiting(told),
        ..Facts::default()
    };
    let (message, facts) = match &situation.topic {
        Topic::None => (message_of(kind), facts),
        Topic::Turn(turn) => {
            let message = if kind == Kind::YourTurn { message_of_turn(turn) } else { message_of(kind) };
            (message, Facts { round: turn.round, word: &turn.word, ..facts })
        }
        Topic::Round { round, scored } => match scored {
            Some((score, _)) => (Message::RoundOver, Facts { round: *round, points: *score, ..facts }),
            None => (Message::RoundUnscored, Facts { round: *round, ..facts }),
        },
        Topic::Match { rounds, players, place, shared } => {
            let (rounds, players) = (*rounds, *players);
            let message = message_of_place(*place, *shared);
            (message, Facts { rounds, players, place: place.unwrap_or_default(), ..facts })
        }
    };
    render(language, message, &facts)
}

/// The message of a kind where nothing else decides.
fn message_of(kind: Kind) -> Message {
    match kind {
        Kind::YourTurn => Message::YourTurn,
        Kind::DeadlineNear => Message::DeadlineNear,
        Kind::TableFull => Message::TableFull,
        Kind::Nudged => Message::Nudged,
        Kind::Invited => Message::Invited,
        Kind::RoundOver => Message::RoundUnscored,
        Kind::MatchOver => Message::MatchEnded,
        Kind::Digest => Message::Digest,
        Kind::Test => Message::Test,
        Kind::VerifyEmail => Message::VerifyEmail,
        Kind::ResetPassword => Message::ResetPassword,
        Kind::NewDevice => Message::NewDevice,
        Kind::NewApp => Message::NewApp,
        Kind::PasswordChanged => Message::PasswordChanged,
        Kind::PasskeyAdded => Message::PasskeyAdded,
        Kind::IdentityLinked => Message::IdentityLinked,
    }
}

/// Number of matches that wait for the recipient.
fn waiting(told: &ClaimedDelivery) -> i32 {
    told.waiting.and_then(|count| i32::try_from(count).ok()).unwrap_or_default()
}

fn message_of_turn(turn: &Turn) -> Message {
    match turn.phase {
        PhaseKind::Turn if turn.first => Message::MatchStarted,
        PhaseKind::Turn | PhaseKind::MustPlay | PhaseKind::Over => Message::YourTurn,
        PhaseKind::FinalTurn => Message::LastTurn,
        PhaseKind::Challenge => Message::AnswerCall,
        PhaseKind::Swap => Message::AnswerSwap,
        PhaseKind::Request => Message::AnswerRequest,
    }
}

fn message_of_place(place: Option<i32>, shared: bool) -> Message {
    match place {
        None => Message::MatchEnded,
        Some(1) if shared => Message::MatchShared,
        Some(1) => Message::MatchWon,
        Some(_) => Message::MatchLost,
    }
}

/// A deadline in the recipient's time zone; in UTC, with a note, if it is not known.
fn local(language: Language, at: DateTime<Utc>, told: &ClaimedDelivery) -> String {
    let zone_of = told.time_zone.as_deref().map(zone);
    let local = |at: DateTime<Utc>| at.with_timezone(&zone_of.unwrap_or(chrono_tz::Tz::UTC)).naive_local();
    deadline(language, local(at), local(told.now), zone_of.is_none().then_some("UTC"))
}

#[cfg(test)]
mod tests;
