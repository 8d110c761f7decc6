//! The table of rule options against its neighbours: `docs/rules.md` and the named values of choices.

use serde_json::{Value, json};
use yaniv_engine::{Preset, RuleOptions, respell_rules, rules_from_json};

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
fn both_spellings_of_a_rule_set_mean_the_same() {
    for (of_record, of_api) in [
        (json!({"call_limit": null}), json!({"call_limit_off": true})),
        (
            json!({"preset": "jhyap", "second_deck_at": null}),
            json!({"preset": "jhyap", "second_deck_off": true}),
        ),
        (
            json!({"reductions": {"200": 100, "50": 0}}),
            json!({"reductions": [{"at": 200, "to": 100}, {"at": 50, "to": 0}]}),
        ),
        (json!({"call_limit": 7}), json!({"call_limit": 7, "call_limit_off": false})),
    ] {
        let [one, other] = [&of_record, &of_api].map(|value| rules_from_json(value).expect("rules"));
        assert_eq!(one, other, "{of_record} and {of_api}");
    }
    for wrong in [
        json!({"call_limit": 7, "call_limit_off": true}),
        json!({"call_limit_off": 1}),
        json!({"bonus_off": true}),
        json!({"reductions": [{"at": 100}]}),
        json!({"reductions": [{"at": 100, "to": 50}, {"at": 100, "to": 0}]}),
    ] {
        assert!(rules_from_json(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn the_rules_of_a_record_are_respelled_without_null_and_map() {
    for preset in Preset::ALL {
        let mut options = preset.options();
        for call_limit in [options.call_limit, None] {
            options.call_limit = call_limit;
            let printed = serde_json::to_value(&options).expect("JSON");
            let mut rules = printed.as_object().expect("an object").clone();
            respell_rules(&mut rules);
            assert!(
                rules.values().all(|value| !value.is_null()) && rules["reductions"].is_array(),
                "{rules:?}"
            );
            assert_eq!(rules_from_json(&Value::Object(rules)).expect("rules").options(), &options);
        }
    }
    let mut incomplete = serde_json::Map::from_iter([("call_limit".to_owned(), Value::Null)]);
    respell_rules(&mut incomplete);
    assert!(incomplete["call_limit"].is_null(), "only a record has all options");
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
