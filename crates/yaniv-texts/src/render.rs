//! Renders messages. A name is set in isolates where the text runs from right to left.

use std::sync::LazyLock;

use chrono::{Datelike, NaiveDateTime};
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource};

use crate::language::Language;
use crate::message::{Facts, Message};

/// Days until a weekday could be mistaken for that of another week.
const SOON: i64 = 6;

/// A rendered message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The title, without a full stop.
    pub title: String,
    /// One or two sentences.
    pub body: String,
}

type Bundle = FluentBundle<FluentResource>;

static BUNDLES: LazyLock<[(Language, Bundle); 5]> =
    LazyLock::new(|| Language::ALL.map(|language| (language, bundle(language))));

/// The file of a language.
fn source(language: Language) -> &'static str {
    match language {
        Language::English => include_str!("../texts/en.ftl"),
        Language::Hebrew => include_str!("../texts/he.ftl"),
        Language::Nepali => include_str!("../texts/ne.ftl"),
        Language::Dutch => include_str!("../texts/nl.ftl"),
        Language::German => include_str!("../texts/de.ftl"),
    }
}

fn bundle(language: Language) -> Bundle {
    let locales = language.tag().parse().into_iter().collect();
    let mut bundle = Bundle::new_concurrent(locales);
    // `isolated` does it for names; numbers do not need it.
    bundle.set_use_isolating(false);
    // A test proves that each file is without errors.
    let file = FluentResource::try_new(source(language).to_owned()).unwrap_or_else(|(file, _)| file);
    let _ = bundle.add_builtins();
    let _ = bundle.add_resource(file);
    bundle
}

/// The text of a message in a language.
#[must_use]
pub fn render(language: Language, message: Message, facts: &Facts<'_>) -> Text {
    let arguments = arguments(language, facts);
    let part = |part| format(language, message.name(), Some(part), &arguments).0;
    Text { title: part("title"), body: part("body") }
}

/// A line of an e-mail besides title and body.
#[derive(Clone, Copy, Debug)]
pub enum EmailLine<'a> {
    /// Greets the player with this name.
    Greeting(&'a str),
    /// Shows a code to be typed.
    Code(&'a str),
    /// Introduces the link to unsubscribe.
    Unsubscribe,
}

/// A line of an e-mail in a language.
#[must_use]
pub fn email_line(language: Language, line: EmailLine<'_>) -> String {
    let mut arguments = FluentArgs::new();
    let part = match line {
        EmailLine::Greeting(player) => {
            arguments.set("player", isolated(language, player));
            "greeting"
        }
        EmailLine::Code(code) => {
            arguments.set("code", isolated(language, code));
            "code"
        }
        EmailLine::Unsubscribe => "unsubscribe",
    };
    format(language, "email", Some(part), &arguments).0
}

/// The texts of the page on which a player unsubscribes from e-mails.
#[derive(Clone, Debug)]
pub struct UnsubscribeTexts {
    /// The title.
    pub title: String,
    /// The question.
    pub question: String,
    /// The button that answers it.
    pub button: String,
    /// Shown afterwards.
    pub done: String,
    /// Shown if the link is not valid.
    pub invalid: String,
}

/// The texts of that page in a language.
#[must_use]
pub fn unsubscribe_texts(language: Language) -> UnsubscribeTexts {
    let part = |part| format(language, "unsubscribe", Some(part), &FluentArgs::new()).0;
    UnsubscribeTexts {
        title: part("title"),
        question: part("question"),
        button: part("button"),
        done: part("done"),
        invalid: part("invalid"),
    }
}

/// A deadline: weekday and time, with the date if it is not within the next days. Both times are local ones.
///
/// `zone` is printed after the time: for players whose time zone is not known.
#[must_use]
pub fn deadline(language: Language, at: NaiveDateTime, now: NaiveDateTime, zone: Option<&str>) -> String {
    let time = at.format("%H:%M").to_string();
    let mut arguments = FluentArgs::new();
    arguments.set("weekday", at.weekday().number_from_monday());
    arguments.set("day", at.day());
    arguments.set("month", at.month());
    arguments.set("time", zone.map_or_else(|| time.clone(), |zone| format!("{time} {zone}")));
    let soon = (at.date() - now.date()).num_days() <= SOON;
    let message = if soon { "deadline-soon" } else { "deadline-later" };
    format(language, message, None, &arguments).0
}

/// A name or another text by a player, so that it does not disturb the order of the text around it.
#[must_use]
pub fn isolated(language: Language, name: &str) -> String {
    if language.is_right_to_left() { format!("\u{2068}{name}\u{2069}") } else { name.to_owned() }
}

fn arguments(language: Language, facts: &Facts<'_>) -> FluentArgs<'static> {
    let name = |name: Option<&String>| isolated(language, name.map_or("", String::as_str));
    let mut opponents = facts.opponents.iter();
    let mut arguments = FluentArgs::new();
    arguments.set("opponent", name(opponents.next()));
    arguments.set("others", opponents.len());
    arguments.set("second", name(opponents.next()));
    arguments.set("player", isolated(language, facts.player));
    arguments.set("word", facts.word.to_owned());
    for (name, number) in [
        ("round", facts.round),
        ("points", facts.points),
        ("rounds", facts.rounds),
        ("place", facts.place),
        ("players", facts.players),
        ("matches", facts.matches),
    ] {
        arguments.set(name, number);
    }
    arguments.set("deadline", facts.deadline.to_owned());
    arguments
}

/// A message or an attribute of it, and how many errors there were: tests prove that there are none.
fn format(
    language: Language,
    message: &str,
    attribute: Option<&str>,
    arguments: &FluentArgs<'_>,
) -> (String, usize) {
    let found = BUNDLES.iter().find(|(of, _)| *of == language).and_then(|(_, bundle)| {
        let message = bundle.get_message(message)?;
        let pattern = match attribute {
            Some(attribute) => message.get_attribute(attribute)?.value(),
            None => message.value()?,
        };
        let mut errors = Vec::new();
        let text = bundle.format_pattern(pattern, Some(arguments), &mut errors).into_owned();
        Some((text, errors.len()))
    });
    found.unwrap_or((String::new(), 1))
}

#[cfg(test)]
mod tests;
