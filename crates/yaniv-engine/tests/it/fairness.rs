//! The test vectors of `docs/fairness.md`, read from the page: authors of verifiers rely on them. Those of single
//! streams are tested beside the streams, in `src/shuffle/shuffler.rs`.

use serde_json::Value;
use yaniv_engine::{Match, Preset, Rules, Seed, SeedChain, Shuffler};

const PAGE: &str = include_str!("../../../../docs/fairness.md");

/// The value of a line `name = value` of the page.
fn vector(name: &str) -> &'static str {
    let find = |line: &'static str| line.strip_prefix(name)?.strip_prefix(" = ");
    PAGE.lines().find_map(find).unwrap_or_else(|| panic!("the page has no {name}"))
}

fn words(name: &str) -> Vec<&'static str> {
    vector(name).split(' ').collect()
}

fn chain() -> SeedChain {
    SeedChain::new(*Seed::from_hex(vector("s[1000]")).expect("a seed").as_bytes())
}

/// The shuffles of the page: its chain, an id, and client seeds joined with commas.
fn shuffler(match_id: &str, client_seeds: &str) -> (Shuffler, u8) {
    let seeds: Vec<String> = client_seeds.split(',').map(str::to_owned).collect();
    (Shuffler::new(chain(), match_id, &seeds), u8::try_from(seeds.len()).expect("few"))
}

#[test]
fn the_chain_of_the_page_is_that_of_the_engine() {
    let chain = chain();
    assert_eq!(chain.commitment().to_hex(), vector("s[0]"));
    for k in [1, 500, 999, 1000] {
        assert_eq!(chain.round(k).to_hex(), vector(&format!("s[{k}]")));
    }
}

#[test]
fn the_deals_of_the_page_are_those_of_the_engine() {
    let rules = Rules::new(Preset::Yaniv.options()).expect("a preset");
    for deal in ["plain", "refused", "seeded"] {
        let field = |name: &str| format!("{deal}.{name}");
        let (shuffler, players) = shuffler(vector(&field("match_id")), vector(&field("client_seeds")));
        let state = Match::start(&rules, players, &shuffler).expect("players");
        assert_eq!(state.starter().to_string(), vector(&field("starter")), "{deal}");
        let position = serde_json::to_value(state.position()).expect("JSON");
        for seat in 0..usize::from(players) {
            let mut dealt = words(&field(&format!("hand[{seat}]")));
            let mut held: Vec<&str> = position["seats"][seat]["hand"]
                .as_array()
                .expect("a hand")
                .iter()
                .filter_map(Value::as_str)
                .collect();
            dealt.sort_unstable();
            held.sort_unstable();
            assert_eq!(held, dealt, "{deal}, seat {seat}");
        }
        assert_eq!(position["pile"], serde_json::json!([vector(&field("upcard"))]), "{deal}");
        assert_eq!(position["stock"], serde_json::json!(words(&field("stock"))), "{deal}");
    }
}

#[test]
fn the_seats_of_the_page_are_those_of_the_engine() {
    let (shuffler, players) = shuffler("m", vector("seats.client_seeds"));
    let order: Vec<String> = shuffler.seat_order(players).iter().map(u8::to_string).collect();
    assert_eq!(order, words("seats.order"));
}
