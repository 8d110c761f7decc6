//! Hidden cards never leave the service.
//!
//! Two matches that differ only in cards hidden from a player look the same to that player, byte for byte. Nothing is
//! tampered with: the two are found among many secrets, as with 26 cards enough shuffles give the same hand, turned-up
//! card and draws, but other hidden hands.

use std::collections::HashMap;
use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use yaniv_engine::{
    Action, Card, Match, Preset, RecordBuilder, RecordPlayer, RuleOptions, Rules, Seat, Seed, SeedChain,
    Shuffler, SlamDown,
};

use crate::support::{Answer, Player, TestApp, checks_all, id, version};

/// Secrets tried for each of the two matches.
const SECRETS: u64 = 40_000;
/// Pairs of matches compared; the trial P5 compares ten thousand.
const PAIRS: usize = 3;
/// Minimum length of the common script.
const SCRIPT: usize = 6;
const VIEWER: Seat = Seat::new(0);
const OTHER: Seat = Seat::new(1);

/// What a player can read of a match, below its path.
const READINGS: [&str; 20] = [
    "",
    "?since=0",
    "?since=3",
    "/settings",
    "/log",
    "/log?after=3",
    "/rounds",
    "/rounds/1",
    "/rounds/1/analysis",
    "/record",
    "/record/text",
    "/fairness",
    "/clock-changes",
    "/standing-orders",
    "/rematch",
    "/recap",
    "/recap?after=0",
    "/events?wait=0",
    "/events?after=3&wait=0&limit=2",
    "/events?after=1000&wait=0",
];
const STREAM: &str = "/events/stream";

#[test]
fn every_reading_of_a_match_is_compared() {
    let document: Value = serde_json::from_str(include_str!("../../openapi/yaniv.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let readable = paths.iter().filter(|(_, operations)| operations.get("get").is_some());
    for (path, _) in readable {
        let Some(reading) = path.strip_prefix("/v1/matches/{match_id}") else { continue };
        let reading = reading.replace("{round}", "1");
        let compared = READINGS.iter().map(|path| path.split('?').next().unwrap()).chain([STREAM]);
        assert!(compared.clone().any(|path| path == reading), "add {reading} to READINGS");
    }
}

fn rules() -> Rules {
    Rules::new(RuleOptions { jokers: 0, slam_down: SlamDown::Any, ..Preset::Speedy.options() }).unwrap()
}

/// The seed of round 1 for each secret: a thousand hashes each, so they are computed once.
static FIRST_SEEDS: LazyLock<Vec<Seed>> =
    LazyLock::new(|| (0..SECRETS).map(|secret| SeedChain::new(root(secret)).round(1)).collect());

/// One of the two worlds: a service with a match before its start.
struct World {
    app: TestApp,
    viewer: Player,
    other: Player,
    match_id: String,
}

impl World {
    async fn new() -> Self {
        let app = TestApp::start().await;
        let (viewer, other) = (app.player("viewer").await, app.player("other").await);
        let body = json!({"size": 2, "rules": {"preset": "speedy", "jokers": 0, "slam_down": "any"}, "client_seed": "a"});
        let created = viewer.create(&body).await.expect(201);
        other.join(created["join_code"].as_str().unwrap(), "b").await.expect(201);
        Self { match_id: id(&created).to_owned(), app, viewer, other }
    }

    fn shuffler(&self, secret: u64) -> Shuffler {
        let seeds = ["a".to_owned(), "b".to_owned()];
        let first = FIRST_SEEDS[usize::try_from(secret).unwrap()];
        Shuffler::from_published(vec![first], &self.match_id, &seeds)
    }

    /// The viewer's hand in the order dealt, which the viewer may know as well.
    fn dealt(&self, secret: u64) -> Vec<Vec<Card>> {
        let player = |(seat, name, client_seed): (Seat, &str, &str)| RecordPlayer {
            seat,
            name: name.to_owned(),
            client_seed: client_seed.to_owned(),
        };
        let players = [(VIEWER, "viewer", "a"), (OTHER, "other", "b")].map(player).to_vec();
        let chain = SeedChain::new(root(secret));
        let builder = RecordBuilder::new(&rules(), &self.match_id, players, chain).unwrap();
        builder.finish(Some(VIEWER)).rounds[0].hands.clone()
    }

    /// Replaces the secret that was drawn. Before the start nothing depends on it yet.
    async fn set_secret(&self, secret: u64) {
        let hex: String = root(secret).iter().map(|byte| format!("{byte:02x}")).collect();
        let statement = format!("UPDATE matches SET secret = '\\x{hex}' WHERE id = '{}'", self.match_id);
        self.app.run(&statement).await;
        self.app.outdate_cached_matches().await;
    }
}

fn root(secret: u64) -> [u8; 32] {
    let mut root = [0; 32];
    root[..8].copy_from_slice(&secret.to_be_bytes());
    root
}

/// The viewer's first view, and the card that the viewer would draw first.
type Seen = (Vec<Card>, Card, Card);

/// Deals with many secrets; those in which the viewer starts, by the viewer's view.
fn deals(world: &World) -> HashMap<Seen, Vec<u64>> {
    let mut found: HashMap<Seen, Vec<u64>> = HashMap::new();
    for secret in 0..SECRETS {
        let shuffler = world.shuffler(secret);
        let dealt = Match::start(&rules(), 2, &shuffler).unwrap();
        if dealt.starter() != VIEWER {
            continue;
        }
        let view = dealt.view(Some(VIEWER));
        let hand = view.hand.unwrap().cards;
        let throw = hand[0];
        let mut after = dealt;
        let played = after.play(VIEWER, &play(throw, "#"), &shuffler).unwrap();
        found.entry((hand, view.pile[0], played.drew.unwrap())).or_default().push(secret);
    }
    found
}

fn play(card: Card, draw: &str) -> Action {
    format!("{card}+{draw}").parse().unwrap()
}

/// Actions that are legal in both matches, with equal views of the viewer and different hands of the other player.
fn common_script(worlds: [&World; 2], secrets: [u64; 2]) -> Option<Vec<(Seat, Action)>> {
    let shufflers = [worlds[0].shuffler(secrets[0]), worlds[1].shuffler(secrets[1])];
    let mut twins = [0, 1].map(|twin| Match::start(&rules(), 2, &shufflers[twin]).unwrap());
    let hands = twins.each_ref().map(|twin| twin.view(Some(OTHER)).hand.unwrap().cards);
    if hands[0] == hands[1] || worlds[0].dealt(secrets[0]) != worlds[1].dealt(secrets[1]) {
        return None;
    }
    let mut script = Vec::new();
    while script.len() < 24 {
        let seat = twins[0].to_act().iter().copied().next()?;
        let step = candidates(&twins, seat).into_iter().find_map(|action| {
            let mut next = twins.clone();
            for twin in 0..2 {
                next[twin].play(seat, &action, &shufflers[twin]).ok()?;
            }
            let same = next[0].view(Some(VIEWER)) == next[1].view(Some(VIEWER)) && next[0].round() == 1;
            same.then_some((action, next))
        });
        let Some((action, next)) = step else { break };
        script.push((seat, action));
        twins = next;
    }
    let differ = twins[0].view(Some(OTHER)).hand != twins[1].view(Some(OTHER)).hand;
    (script.len() >= SCRIPT && differ).then_some(script)
}

/// Single cards of the hand, with every draw; draws from the pile last, so that hidden cards come into play.
fn candidates(twins: &[Match; 2], seat: Seat) -> Vec<Action> {
    let view = twins[0].view(Some(seat));
    let draws = std::iter::once("#".to_owned()).chain(view.pickable.iter().map(ToString::to_string));
    let draws: Vec<String> = draws.collect();
    let hand = view.hand.unwrap().cards;
    draws.iter().flat_map(|draw| hand.iter().map(move |card| play(*card, draw))).collect()
}

fn body(action: &Action, version: i64) -> Value {
    let text = action.to_string();
    let (card, draw) = text.split_once('+').unwrap();
    match draw {
        "#" => json!({"expected_version": version, "cards": [card], "draw_from": "stock"}),
        card_drawn => {
            json!({"expected_version": version, "cards": [card], "draw_from": "pile", "draw_card": card_drawn})
        }
    }
}

/// All answers that a player can get at this moment, including refusals.
async fn everything(player: &Player, world: &World, version: i64, step: usize) -> Vec<Answer> {
    let match_path = format!("/v1/matches/{}", world.match_id);
    let mut answers = Vec::new();
    for path in READINGS {
        answers.push(player.get(&format!("{match_path}{path}")).await);
    }
    for path in ["/v1/turns", "/v1/events?wait=0", "/v1/events?after=now&wait=0", "/v1/records"] {
        answers.push(player.get(path).await);
    }
    answers.push(streamed(player, &format!("{match_path}{STREAM}?after=2"), version - 2).await);
    answers.push(streamed(player, &format!("/v1/events/stream?after={}", an_hour_ago()), version).await);
    let view = player.view(&world.match_id).await;
    if view["legal"].get("slam_card").is_none() {
        // Whether the other player can slam down reveals that the drawn card fits.
        let body = json!({"expected_version": version});
        answers.push(
            player.act_with(&world.match_id, "slam-downs", &format!("slam-refused-{step:03}"), &body).await,
        );
    }
    answers.push(player.get("/v1/matches").await);
    answers.push(player.get("/v1/home").await);
    answers.push(player.get("/v1/history").await);
    answers.push(player.get("/v1/account/export").await);
    answers.push(player.get("/v1/matches?status=running").await);
    answers.push(player.request(Method::DELETE, &match_path, &[], None).await);
    for (number, card) in ["AH", "KS", "9H", "4S"].into_iter().enumerate() {
        // None of these can be accepted: an old version, a card discarded twice, a card that cannot be drawn.
        for (kind, body) in [
            ("plays", json!({"expected_version": 1, "cards": [card], "draw_from": "stock"})),
            ("plays", json!({"expected_version": version, "cards": [card, card], "draw_from": "stock"})),
            (
                "plays",
                json!({"expected_version": version, "cards": [card], "draw_from": "pile", "draw_card": "XB"}),
            ),
            ("plays", json!({"expected_version": version, "cards": [card], "draw_from": "nothing"})),
            ("calls", json!({"expected_version": version, "word": "nothing"})),
            ("calls", json!({"expected_version": 1})),
        ] {
            let key = format!("refused-key-{step:03}-{number}-{kind}");
            answers.push(player.act_with(&world.match_id, kind, &key, &body).await);
        }
    }
    answers
}

/// A cursor of the account feed.
fn an_hour_ago() -> String {
    let micros = (Utc::now() - TimeDelta::hours(1)).timestamp_micros().to_be_bytes();
    URL_SAFE_NO_PAD.encode([&[1_u8], micros.as_slice()].concat())
}

/// The bytes of this many events of a stream, as a body.
async fn streamed(player: &Player, path: &str, count: i64) -> Answer {
    let events = player.follow(path, None).await.take(usize::try_from(count).unwrap()).await;
    let body =
        events.iter().map(|event| format!("{}\n{:?}\n{}\n", event.name, event.id, event.data)).collect();
    Answer { status: reqwest::StatusCode::OK, headers: reqwest::header::HeaderMap::new(), body }
}

/// An answer with variable values blanked: identifiers, codes, times, and what derives from them (the tag, which is a
/// hash of the body, and the commitment). Everything else stays, lengths included.
fn without_names(answer: &Answer) -> String {
    let line =
        |(name, value): (&reqwest::header::HeaderName, &reqwest::header::HeaderValue)| match name.as_str() {
            "date" | "etag" | "x-request-id" => format!("{name}: *\n"),
            "content-length" => String::new(),
            _ => format!("{name}: {}\n", blank(value.to_str().unwrap())),
        };
    let mut headers: Vec<String> = answer.headers.iter().map(line).collect();
    headers.sort();
    let text = format!("{}\n{}", answer.status, headers.concat());
    text + &without_spent_time(&blank(&answer.body))
}

/// Blanks current and earlier bank times: the duration of a turn is not secret, and varies.
fn without_spent_time(text: &str) -> String {
    let keys = ["\"bank_seconds\":", "\"bank_before_seconds\":", "\"bank_after_seconds\":"];
    keys.iter().fold(text.to_owned(), |text, key| {
        let mut parts = text.split(key);
        let first = parts.next().unwrap().to_owned();
        let digits = |part: &str| part.trim_start_matches(|letter: char| letter.is_ascii_digit()).to_owned();
        parts.fold(first, |before, part| format!("{before}{key}*{}", digits(part)))
    })
}

/// Blanks identifiers, codes, times and commitments by their form.
fn blank(text: &str) -> String {
    let mut blanked = String::new();
    for (index, part) in text.split('"').enumerate() {
        if index > 0 {
            blanked.push('"');
        }
        let is_time = part.len() >= 20
            && part.ends_with('Z')
            && part.as_bytes()[4] == b'-'
            && part.as_bytes()[10] == b'T';
        let is_hash = part.len() == 64 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
        // Cursors of an inbox: times, and parts of identifiers.
        let is_cursor = part.starts_with("AQA") && part.len() >= 12;
        let is_code =
            part.len() == 8 && part.bytes().all(|byte| b"23456789BCDFGHJKMNPQRSTVWXZ".contains(&byte));
        let blank_part = if is_time || is_hash || is_code || is_cursor {
            "*".to_owned()
        } else {
            without_ids(&without_proof(part))
        };
        blanked += &blank_part;
    }
    blanked
}

/// The commitment and the times of a record as text: `…@2026-11-23T17:59:31Z`, `…@+2`.
fn without_proof(text: &str) -> String {
    let without_time = |word: &str| word.split_once('@').map_or(word, |(action, _)| action).to_owned();
    let line = |line: &str| {
        if line.starts_with("commitment ") {
            return "commitment *".to_owned();
        }
        line.split(' ').map(without_time).collect::<Vec<_>>().join(" ")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn without_ids(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some(candidate) = rest.get(..36) {
        if uuid::Uuid::try_parse(candidate).is_ok() {
            kept.push('*');
            rest = &rest[36..];
        } else {
            let next = rest.chars().next().unwrap().len_utf8();
            kept += &rest[..next];
            rest = &rest[next..];
        }
    }
    kept + rest
}

fn compare(first: &[Answer], second: &[Answer]) -> Result<(), String> {
    for (first, second) in first.iter().zip(second) {
        let (first, second) = (without_names(first), without_names(second));
        if first != second {
            return Err(format!("{first}\n\n{second}"));
        }
    }
    if first.len() == second.len() { Ok(()) } else { Err("not as many answers".to_owned()) }
}

/// Plays the script in both worlds; all answers to the viewer must be equal at every step.
async fn play_twins(worlds: [&World; 2], script: &[(Seat, Action)]) {
    for world in worlds {
        world.viewer.start(&world.match_id).await.expect(200);
    }
    for (step, (seat, action)) in script.iter().enumerate() {
        let mut seen = [Vec::new(), Vec::new()];
        let mut others = [Vec::new(), Vec::new()];
        for (twin, world) in worlds.into_iter().enumerate() {
            let now = version(&world.viewer.view(&world.match_id).await);
            seen[twin] = everything(&world.viewer, world, now, step).await;
            others[twin] = everything(&world.other, world, now, step).await;
            let player = if *seat == VIEWER { &world.viewer } else { &world.other };
            let key = format!("script-key-{step:06}");
            let answer = player.act_with(&world.match_id, "plays", &key, &body(action, now)).await;
            answer.expect(200);
            if *seat == VIEWER {
                let again = player.act_with(&world.match_id, "plays", &key, &body(action, now)).await;
                seen[twin].extend([answer, again]);
            }
        }
        compare(&seen[0], &seen[1]).unwrap_or_else(|difference| panic!("step {step}: {difference}"));
        // The comparison can detect a difference: the other player's answers do differ.
        assert!(
            compare(&others[0], &others[1]).is_err(),
            "step {step}: the other player sees the difference"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_that_differ_in_hidden_cards_only_are_the_same_to_who_cannot_know_them() {
    let mut played = 0;
    while played < if checks_all() { PAIRS } else { 1 } {
        let worlds = [World::new().await, World::new().await];
        let [first, second] = worlds.each_ref().map(deals);
        let pairs = first.iter().flat_map(|(seen, secrets)| {
            let others = second.get(seen).into_iter().flatten();
            others.flat_map(move |&other| secrets.iter().map(move |&secret| [secret, other]))
        });
        let references = [&worlds[0], &worlds[1]];
        let longest = pairs
            .filter_map(|secrets| common_script(references, secrets).map(|script| (secrets, script)))
            .max_by_key(|(_, script)| script.len());
        let Some((secrets, script)) = longest else { continue };
        for (world, secret) in worlds.iter().zip(secrets) {
            world.set_secret(secret).await;
        }
        play_twins(references, &script).await;
        played += 1;
    }
}
