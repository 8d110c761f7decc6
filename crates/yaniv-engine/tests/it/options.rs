//! The table of rule options against its neighbours: `docs/rules.md` and the named values of choices.

use yaniv_engine::RuleOptions;

macro_rules! names {
    ($($(#[doc = $doc:tt])+ $name:ident: $type:ty, $kind:ident $(($($args:tt)*))? = $default:expr;)+) => {
        const NAMES: &[&str] = &[$(stringify!($name)),+];
    };
}

yaniv_engine::rule_options!(names);

#[test]
fn every_option_is_in_the_document_of_the_rules_in_the_same_order() {
    let text = include_str!("../../../../docs/rules.md");
    let section = text.split("\n## 3.").nth(1).expect("section 3").split("\n## ").next().expect("a text");
    let options = section.split("\n\n").find(|table| table.contains("| `decks` |")).expect("the table");
    let written: Vec<&str> = options.lines().filter_map(|line| line.split('`').nth(1)).collect();
    assert_eq!(written, NAMES);
}

#[test]
fn the_default_of_a_choice_is_its_first_value() {
    let defaults = serde_json::to_value(RuleOptions::default()).expect("JSON");
    for name in NAMES {
        if let Some(first) = RuleOptions::choices(name).first() {
            assert_eq!(defaults[name], *first, "{name}");
        }
    }
}
