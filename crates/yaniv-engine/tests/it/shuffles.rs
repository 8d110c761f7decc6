//! Shuffles against values computed by an independent program in another language, from rules §10 alone:
//! `tests/data/shuffles.py`.

use serde_json::Value;
use yaniv_engine::{Match, RuleOptions, Rules, Seed, SeedChain, Shuffler, valid_client_seed};

fn strings(value: &Value) -> Vec<String> {
    value.as_array().expect("a list").iter().map(|text| text.as_str().expect("text").to_owned()).collect()
}

fn small(value: &Value) -> u8 {
    u8::try_from(value.as_u64().expect("a number")).expect("small")
}

#[test]
fn chains_deals_starters_and_seats_are_those_of_the_specification() {
    let cases: Value = serde_json::from_str(include_str!("../data/shuffles.json")).expect("JSON");
    for case in cases.as_array().expect("a list") {
        let text = |name: &str| case[name].as_str().expect("text");
        let root = *Seed::from_hex(text("root")).expect("a seed").as_bytes();
        let chain = SeedChain::new(root);
        assert_eq!(chain.commitment().to_hex(), text("commitment"));
        for (k, name) in [(1, "s1"), (500, "s500"), (999, "s999"), (1000, "root")] {
            assert_eq!(chain.round(k).to_hex(), text(name));
        }
        let client_seeds = strings(&case["client_seeds"]);
        let shuffler = Shuffler::new(chain, text("match_id"), &client_seeds);
        let players = u8::try_from(client_seeds.len()).expect("few");
        let order: Vec<u8> = case["seats"].as_array().expect("seats").iter().map(small).collect();
        assert_eq!(shuffler.seat_order(players), order);
        let rules = Rules::new(RuleOptions {
            decks: small(&case["decks"]),
            hand_size: small(&case["hand_size"]),
            ..RuleOptions::default()
        })
        .expect("rules");
        let state = Match::start(&rules, players, &shuffler).expect("players");
        let position = serde_json::to_value(state.position()).expect("JSON");
        assert_eq!(position["starter"], case["starter"]);
        assert_eq!(position["stock"], case["stock"]);
        assert_eq!(position["pile"][0], case["upcard"]);
        for (seat, hand) in case["hands"].as_array().expect("hands").iter().enumerate() {
            let mut dealt = strings(hand);
            let mut held = strings(&position["seats"][seat]["hand"]);
            dealt.sort();
            held.sort();
            assert_eq!(held, dealt);
        }
    }
}

#[test]
fn client_seeds_are_printable_and_have_no_comma() {
    for good in ["", "a", " ~!", &"x".repeat(64)] {
        assert!(valid_client_seed(good), "{good:?}");
    }
    for bad in ["a,b", "a\nb", "\u{7f}", "é", &"x".repeat(65)] {
        assert!(!valid_client_seed(bad), "{bad:?}");
    }
}
