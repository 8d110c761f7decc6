//! Every language has every message; each is right for every number, and short.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use fluent_syntax::ast::{
    CallArguments, Entry, Expression, InlineExpression, NamedArgument, Pattern, PatternElement,
};
use fluent_syntax::parser::parse;

use super::*;

const NUMBERS: [i32; 8] = [0, 1, 2, 3, 10, 11, 22, 101];
const LONGEST_TITLE: usize = 60;
const LONGEST_BODY: usize = 150;

/// A message, or an attribute of one, with its variables and the messages that it refers to.
type Uses = BTreeMap<String, BTreeSet<String>>;

fn uses(language: Language) -> Uses {
    let file = parse(source(language)).unwrap();
    let mut uses = Uses::new();
    for entry in &file.body {
        let Entry::Message(message) = entry else {
            assert!(!matches!(entry, Entry::Term(_) | Entry::Junk { .. }), "{language:?}: {entry:?}");
            continue;
        };
        let name = message.id.name;
        let parts = message.value.iter().map(|value| (name.to_owned(), value));
        let attributes = message.attributes.iter().map(|one| (format!("{name}.{}", one.id.name), &one.value));
        for (name, pattern) in parts.chain(attributes) {
            let mut used = BTreeSet::new();
            of_pattern(pattern, &mut used);
            assert!(uses.insert(name.clone(), used).is_none(), "{language:?} has {name} twice");
        }
    }
    uses
}

fn of_pattern(pattern: &Pattern<&str>, used: &mut BTreeSet<String>) {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { .. } => {}
            PatternElement::Placeable { expression: Expression::Inline(inline) } => of_inline(inline, used),
            PatternElement::Placeable { expression: Expression::Select { selector, variants } } => {
                of_inline(selector, used);
                variants.iter().for_each(|variant| of_pattern(&variant.value, used));
            }
        }
    }
}

fn of_inline(inline: &InlineExpression<&str>, used: &mut BTreeSet<String>) {
    match inline {
        InlineExpression::VariableReference { id } => drop(used.insert(format!("${}", id.name))),
        InlineExpression::MessageReference { id, .. } => drop(used.insert(id.name.to_owned())),
        InlineExpression::FunctionReference { arguments: CallArguments { positional, named }, .. } => {
            positional.iter().for_each(|one| of_inline(one, used));
            named.iter().for_each(|NamedArgument { value, .. }| of_inline(value, used));
        }
        InlineExpression::NumberLiteral { .. } | InlineExpression::StringLiteral { .. } => {}
        other => panic!("not used in these files: {other:?}"),
    }
}

#[test]
fn every_language_has_every_message_with_the_same_parameters() {
    let english = uses(Language::English);
    for message in Message::ALL {
        for part in ["title", "body"] {
            assert!(english.contains_key(&format!("{}.{part}", message.name())), "{message:?}");
        }
    }
    for language in Language::ALL {
        assert_eq!(uses(language), english, "{language:?}");
    }
}

fn facts<'a>(number: i32, opponents: &'a [String], deadline: &'a str) -> Facts<'a> {
    Facts {
        opponents,
        player: "abcdefghij_klmnopqrs",
        word: "yaniv",
        round: number,
        points: number,
        rounds: number,
        place: number,
        players: number,
        deadline,
        matches: number,
    }
}

fn names(count: i32) -> Vec<String> {
    (0..count).map(|number| format!("the_opponent_no_{number:04}")).collect()
}

#[test]
fn every_message_is_right_in_every_language_for_every_number() {
    for language in Language::ALL {
        for message in Message::ALL {
            for number in NUMBERS {
                let opponents = names(number);
                let facts = facts(number, &opponents, "DEADLINE");
                let arguments = arguments(language, &facts);
                for (part, longest) in [("title", LONGEST_TITLE), ("body", LONGEST_BODY)] {
                    let (text, errors) = format(language, message.name(), Some(part), &arguments);
                    let place = format!("{language:?} {message:?} {part} {number}: {text}");
                    assert_eq!(errors, 0, "{place}");
                    assert!((1..=longest).contains(&text.chars().count()), "{place}");
                    assert!(!text.contains(['{', '}', '$', '\n']), "{place}");
                    let latin = |letter: char| !letter.is_numeric() || letter.is_ascii_digit();
                    assert!(text.chars().all(latin), "digits are 0 to 9: {place}");
                }
            }
        }
    }
}

#[test]
fn an_email_and_its_page_have_all_their_lines() {
    for language in Language::ALL {
        assert!(email_line(language, EmailLine::Greeting("ada")).contains("ada"), "{language:?}");
        assert!(email_line(language, EmailLine::Code("7KQ2M")).contains("7KQ2M"), "{language:?}");
        let UnsubscribeTexts { title, question, button, done, invalid } = unsubscribe_texts(language);
        let link = email_line(language, EmailLine::Unsubscribe);
        assert!(
            [title, question, button, done, invalid, link].iter().all(|text| !text.is_empty()),
            "{language:?}"
        );
    }
}

#[test]
fn no_text_is_that_of_another_language() {
    let opponents = names(3);
    for message in Message::ALL {
        let texts: BTreeSet<String> =
            Language::ALL.map(|one| render(one, message, &facts(3, &opponents, "")).body).into();
        assert_eq!(texts.len(), Language::ALL.len(), "{message:?} {texts:?}");
    }
}

/// The part of a text that counts.
fn counted(language: Language, message: &str, name: &str, number: i32) -> String {
    let mut arguments = FluentArgs::new();
    arguments.set(name.to_owned(), number);
    format(language, message, None, &arguments).0
}

#[test]
fn plurals_are_those_of_each_language() {
    let expected = [
        (Language::English, ["0 points", "1 point", "2 points", "3 points", "11 points", "101 points"]),
        (Language::German, ["0 Punkte", "1 Punkt", "2 Punkte", "3 Punkte", "11 Punkte", "101 Punkte"]),
        (Language::Dutch, ["0 punten", "1 punt", "2 punten", "3 punten", "11 punten", "101 punten"]),
        (Language::Nepali, ["0 अंक", "1 अंक", "2 अंक", "3 अंक", "11 अंक", "101 अंक"]),
        (Language::Hebrew, ["0 נקודות", "נקודה אחת", "שתי נקודות", "3 נקודות", "11 נקודות", "101 נקודות"]),
    ];
    for (language, texts) in expected {
        for (text, number) in texts.into_iter().zip([0, 1, 2, 3, 11, 101]) {
            assert_eq!(counted(language, "points", "points", number), text);
        }
    }
    assert_eq!(counted(Language::Hebrew, "rounds", "rounds", 2), "שני סיבובים");
    assert_eq!(counted(Language::Hebrew, "rounds", "rounds", 20), "20 סיבובים");
    for (place, text) in [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (101, "101st")] {
        assert_eq!(counted(Language::English, "place", "place", place), text);
    }
    assert_eq!(counted(Language::Dutch, "place", "place", 2), "2e");
}

#[test]
fn two_opponents_are_named_and_more_are_counted() {
    let body = |language, count: i32| {
        let opponents: Vec<String> = ["ben", "eva", "tom", "zoe"].map(str::to_owned).into();
        let opponents = &opponents[..usize::try_from(count).unwrap()];
        render(language, Message::YourTurn, &Facts { opponents, round: 3, ..Facts::default() }).body
    };
    assert_eq!(body(Language::English, 1), "Round 3 against ben.");
    assert_eq!(body(Language::English, 2), "Round 3 against ben and eva.");
    assert_eq!(body(Language::English, 3), "Round 3 against ben and 2 others.");
    assert_eq!(body(Language::German, 3), "Runde 3 gegen ben und 2 andere.");
    assert_eq!(body(Language::Dutch, 4), "Ronde 3 tegen ben en 3 anderen.");
    assert_eq!(body(Language::Nepali, 3), "राउन्ड 3, ben र अरू 2 जना सँग।");
    assert_eq!(body(Language::Hebrew, 1), "סיבוב 3 מול \u{2068}ben\u{2069}.");
    assert_eq!(body(Language::Hebrew, 3), "סיבוב 3 מול \u{2068}ben\u{2069} ועוד שני שחקנים.");
    assert_eq!(body(Language::Hebrew, 4), "סיבוב 3 מול \u{2068}ben\u{2069} ועוד 3 שחקנים.");
}

#[test]
fn a_name_stays_what_it_is() {
    let opponents = ["12".to_owned(), "__a__".to_owned()];
    let facts = Facts { opponents: &opponents, player: "_7_", word: "{ $x }", ..Facts::default() };
    let text = render(Language::English, Message::AnswerCall, &facts);
    assert_eq!(text.title, "_7_ called { $x }");
    assert_eq!(text.body, "Round 0 against 12 and __a__: expose or challenge?");
}

#[test]
fn a_deadline_is_short_and_local() {
    let day = |day| NaiveDate::from_ymd_opt(2026, 11, day).unwrap().and_hms_opt(18, 30, 0).unwrap();
    let printed = |language, at| deadline(language, at, day(23), None);
    for (language, soon, later) in [
        (Language::English, "Tue 18:30", "Mon 30 Nov, 18:30"),
        (Language::German, "Di 18:30", "Mo, 30.11. 18:30"),
        (Language::Dutch, "di 18:30", "ma 30 nov 18:30"),
        (Language::Nepali, "मंगल 18:30", "सोम, नोभेम्बर 30, 18:30"),
        (Language::Hebrew, "יום ג׳ 18:30", "יום ב׳, 30.11 בשעה 18:30"),
    ] {
        assert_eq!(
            (printed(language, day(24)), printed(language, day(30))),
            (soon.to_owned(), later.to_owned())
        );
    }
    assert_eq!(deadline(Language::German, day(24), day(23), Some("UTC")), "Di 18:30 UTC");
    for month in 1..=12 {
        for date in 1..=7 {
            let at = NaiveDate::from_ymd_opt(2027, month, date).unwrap().and_hms_opt(8, 5, 0).unwrap();
            let texts: BTreeSet<String> = Language::ALL.map(|language| printed(language, at)).into();
            assert!(texts.len() >= 4 && texts.iter().all(|text| text.contains("08:05")), "{texts:?}");
        }
    }
}
