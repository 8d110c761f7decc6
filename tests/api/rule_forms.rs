//! Rule sets from the form that `listRuleOptions` describes: a client knows which are accepted.

use serde_json::{Map, Value, json};
use yaniv_engine::Preset;

use crate::support::strategy::Random;
use crate::support::{TestApp, id, settings_of};

/// Rule sets of the random test, and its seed.
const COUNT: usize = 1000;
const SEED: u64 = 20_261_123;

/// The form of a rule set, as a client knows it.
struct Form {
    options: Value,
    presets: Value,
}

/// A rule set, and whether it fits the form.
struct Draft {
    rules: Map<String, Value>,
    fits: bool,
}

impl Form {
    fn items(&self) -> &[Value] {
        self.options["items"].as_array().unwrap()
    }

    /// A random rule set: half of them with a fault.
    fn draft(&self, random: &mut Random) -> Draft {
        let mut draft = Draft { rules: Map::new(), fits: true };
        if random.below(3) == 0 {
            draft.rules.insert("preset".to_owned(), random.pick(&self.options["presets"]).clone());
        }
        for _ in 0..random.below(8) {
            let option = &self.items()[random.below(self.items().len())];
            let name = option["name"].as_str().unwrap();
            match option["off_switch"].as_str().filter(|_| random.below(2) == 0) {
                Some(switch) => {
                    draft.rules.remove(name);
                    draft.rules.insert(switch.to_owned(), json!(true));
                }
                None => {
                    if let Some(switch) = option["off_switch"].as_str() {
                        draft.rules.remove(switch);
                    }
                    draft.rules.insert(name.to_owned(), fitting(option, random));
                }
            }
        }
        if random.below(2) == 0 {
            self.spoil(&mut draft, random);
        }
        draft
    }

    /// Adds a fault.
    fn spoil(&self, draft: &mut Draft, random: &mut Random) {
        draft.fits = false;
        let option = &self.items()[random.below(self.items().len())];
        let name = option["name"].as_str().unwrap();
        match (random.below(12), option["off_switch"].as_str()) {
            (0, _) => {
                draft.rules.insert("no_such_option".to_owned(), json!(1));
            }
            (1, _) => {
                draft.rules.insert("preset".to_owned(), json!("no_such_preset"));
            }
            (2..7, Some(switch)) => {
                draft.rules.insert(name.to_owned(), fitting(option, random));
                draft.rules.insert(switch.to_owned(), json!(true));
            }
            _ => {
                draft.rules.insert(name.to_owned(), misfit(option, random));
            }
        }
    }

    /// The complete rule set that a draft means.
    fn complete(&self, draft: &Draft) -> Value {
        let presets = self.presets["items"].as_array().unwrap();
        let named =
            draft.rules.get("preset").and_then(|name| presets.iter().find(|preset| preset["name"] == *name));
        let mut rules = named.map_or(&self.options["defaults"], |preset| &preset["rules"]).clone();
        for option in self.items() {
            let name = option["name"].as_str().unwrap();
            let switch = option["off_switch"].as_str().unwrap_or_default();
            match draft.rules.get(name) {
                Some(value) if option["kind"] == "object" && rules[name].is_object() => {
                    let given = value.as_object().unwrap().clone();
                    rules[name].as_object_mut().unwrap().extend(given);
                }
                Some(value) => rules[name] = value.clone(),
                None if draft.rules.get(switch) == Some(&json!(true)) => {
                    rules.as_object_mut().unwrap().remove(name);
                }
                None => {}
            }
        }
        rules
    }

    /// Whether a number of seats fits a complete rule set.
    fn seats_fit(&self, rules: &Value, seats: i64) -> bool {
        let option = |name: &str| rules[name].as_i64().unwrap();
        let limit = |name: &str| self.options["seats"][name].as_i64().unwrap();
        let second = rules["second_deck_at"].as_i64().is_some_and(|from| seats >= from);
        let packs = if second { option("decks").max(2) } else { option("decks") };
        let cards = packs * (option("suits") * limit("cards_of_suit") + option("jokers"));
        let most = if option("suits") == 2 { limit("half_pack_maximum") } else { limit("maximum") };
        (limit("minimum")..=most).contains(&seats)
            && cards >= seats * (option("hand_size") + limit("spare_cards_of_seat")) + limit("spare_cards")
    }
}

/// A value of an option within its bounds.
fn fitting(option: &Value, random: &mut Random) -> Value {
    let count = |random: &mut Random| {
        let (least, most) = (option["min_items"].as_i64().unwrap(), option["max_items"].as_i64().unwrap());
        least + between(0, (most - least).min(4), random)
    };
    match option["kind"].as_str().unwrap() {
        "integer" if option["values"] != json!([]) => random.pick(&option["values"]).clone(),
        "integer" => json!(integer(option, random)),
        "boolean" => json!(random.below(2) == 0),
        "choice" => random.pick(&option["choices"]).clone(),
        "texts" => (0..count(random)).map(|_| json!(random.pick(&json!(["yaniv", "yan", "go"])))).collect(),
        "object" => object(option, random),
        "objects" => {
            let mut items: Vec<Value> = Vec::new();
            for _ in 0..count(random) {
                let item = object(option, random);
                let unique =
                    option["fields"].as_array().unwrap().iter().filter(|field| field["unique"] == true);
                let mut names = unique.map(|field| field["name"].as_str().unwrap());
                if names.all(|name| items.iter().all(|other| other[name] != item[name])) {
                    items.push(item);
                }
            }
            Value::Array(items)
        }
        kind => panic!("{kind} is no kind of option"),
    }
}

/// An object with all required and some other fields.
fn object(option: &Value, random: &mut Random) -> Value {
    let fields = option["fields"].as_array().unwrap().iter();
    let given: Vec<&Value> =
        fields.filter(|field| field["required"] == true || random.below(2) == 0).collect();
    let pair = |field: &Value, random: &mut Random| {
        (field["name"].as_str().unwrap().to_owned(), json!(integer(field, random)))
    };
    Value::Object(given.into_iter().map(|field| pair(field, random)).collect())
}

/// A value of an option that the form does not allow.
fn misfit(option: &Value, random: &mut Random) -> Value {
    let other_type = |random: &mut Random| random.pick(&json!([1.5, "no_such_value", [[]], null])).clone();
    let beyond = |of: &Value, random: &mut Random| match random.below(2) {
        0 => json!(of["minimum"].as_i64().unwrap() - 1),
        _ => json!(of["maximum"].as_i64().unwrap() + 1),
    };
    let last = |option: &Value| option["fields"].as_array().unwrap().last().unwrap().clone();
    match option["kind"].as_str().unwrap() {
        "integer" if option["values"] != json!([]) => json!(3),
        "integer" if random.below(3) > 0 => beyond(option, random),
        "texts" => random.pick(&json!([[], ["Yaniv!"], [""], ["a", "b", "c", "d", "e"]])).clone(),
        "object" | "objects" if random.below(4) > 0 => {
            let (mut item, field) = (object(option, random), last(option));
            let name = field["name"].as_str().unwrap();
            match random.below(3) {
                0 if field["required"] == true => drop(item.as_object_mut().unwrap().remove(name)),
                1 => item["no_such_field"] = json!(1),
                _ => item[name] = beyond(&field, random),
            }
            match (option["kind"] == "objects", random.below(3)) {
                (false, _) => item,
                (true, 0) => {
                    let one = |index: i64| json!({"at": index, "to": 0});
                    (0..=option["max_items"].as_i64().unwrap()).map(one).collect()
                }
                (true, 1) => json!([{"at": 100, "to": 50}, {"at": 100, "to": 0}]),
                (true, _) => json!([item]),
            }
        }
        _ => other_type(random),
    }
}

fn integer(of: &Value, random: &mut Random) -> i64 {
    between(of["minimum"].as_i64().unwrap(), of["maximum"].as_i64().unwrap(), random)
}

fn between(least: i64, most: i64, random: &mut Random) -> i64 {
    least + i64::try_from(random.below(usize::try_from(most - least + 1).unwrap())).unwrap()
}

async fn form(app: &TestApp) -> Form {
    let ada = app.player("ada").await;
    let options = ada.get("/v1/rule-options").await.expect(200);
    Form { options, presets: ada.get("/v1/rule-presets").await.expect(200) }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_knows_from_the_form_which_rule_sets_are_accepted() {
    let app = TestApp::start().await;
    let form = form(&app).await;
    let (bob, mut random) = (app.player("bob").await, Random(SEED));
    let (mut accepted, mut refused) = (0, 0);
    for number in 0..COUNT {
        if number % 400 == 0 {
            app.run("DELETE FROM daily_counts").await;
        }
        let draft = form.draft(&mut random);
        let seats = between(2, 10, &mut random);
        let body = json!({"size": seats, "rules": draft.rules});
        let answer = bob.create(&body).await;
        let what = || format!("seed {SEED}, rule set {number}: {body}: {}", answer.body);
        let complete = draft.fits.then(|| form.complete(&draft));
        if let Some(mut complete) = complete.filter(|rules| form.seats_fit(rules, seats)) {
            assert_eq!(answer.status, 201, "{}", what());
            let made = answer.expect(201);
            bob.leave(id(&made)).await.expect(204);
            let mut printed = settings_of(&made)["rules"].clone();
            sort(&mut printed["reductions"]);
            sort(&mut complete["reductions"]);
            complete["call_limit_off"] = json!(complete.get("call_limit").is_none());
            assert_eq!(printed, complete, "{}", what());
            accepted += 1;
        } else {
            assert_eq!(answer.status, 422, "{}", what());
            refused += 1;
        }
    }
    assert!(accepted > 200 && refused > 200, "{accepted} accepted, {refused} refused");
}

fn sort(reductions: &mut Value) {
    reductions.as_array_mut().unwrap().sort_by_key(|one| one["at"].as_i64());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_names_what_is_no_option_by_itself() {
    let app = TestApp::start().await;
    let form = form(&app).await;
    let names: Vec<&str> = form.items().iter().map(|option| option["name"].as_str().unwrap()).collect();
    assert!(names.iter().all(|name| *name != "preset" && !name.ends_with("_off")), "{names:?}");
    assert_eq!(form.options["defaults"], form.presets["items"][0]["rules"]);
    assert_eq!(form.options["presets"][0], "yaniv");
    for option in form.items() {
        let is_there = form.options["defaults"].get(option["name"].as_str().unwrap()).is_some();
        assert!(is_there || option["can_be_off"] == true, "{option}");
        if let Some(needed) = option["needs"].as_str() {
            assert!(names.contains(&needed), "{option}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_the_command_line_prints_make_a_match() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let printed = std::process::Command::new(env!("CARGO_BIN_EXE_yaniv")).arg("rules").output().unwrap();
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    for preset in Preset::ALL {
        let rules = &printed[preset.as_str()];
        let created = ada.create(&json!({"size": 2, "rules": rules})).await.expect(201);
        let settings = settings_of(&created);
        assert_eq!((&settings["rules"], &settings["preset"]), (rules, &json!(preset.as_str())));
    }
}

/// The format of records is older than the API: it has nulls and maps, which the document does not. They are sent past
/// the check against the document.
#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_a_record_make_a_match() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    for rules in [
        json!({}),
        json!({"call_limit_off": true, "reductions": [], "bonus": {"every": 3, "points": 20}}),
        json!({"preset": "jhyap", "second_deck_off": true, "max_rounds": 7, "one_eyed_jacks": 0}),
    ] {
        let started = app.started(&players, rules).await;
        let record = players[0].record(id(&started)).await;
        assert!(record["rules"].to_string().contains("null"), "{record}");
        let body = json!({"size": 2, "rules": record["rules"]});
        let request = reqwest::Client::new().post(app.url("/v1/matches")).bearer_auth(&players[0].token);
        let request = request.header("content-type", "application/json").body(body.to_string());
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 201);
        let created: Value = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap();
        assert_eq!(created["settings_tag"], started["settings_tag"]);
    }
}
