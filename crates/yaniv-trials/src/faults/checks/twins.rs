//! Pairs of matches that look the same to one of two players, found by the engine alone.
//!
//! Among many secrets, some give that player the same hand, the same turned-up card and the same draws, but other
//! hidden hands.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use serde_json::{Value, json};
use yaniv_engine::{
    Action, Card, Match, Preset, RecordBuilder, RecordPlayer, RuleOptions, Rules, Seat, Seed, SeedChain,
    Shuffler, SlamDown,
};

use crate::Error;

/// The player who must not notice a difference.
pub const VIEWER: Seat = Seat::new(0);
/// The player whose hands differ.
pub const OTHER: Seat = Seat::new(1);
/// Client seeds of the two.
pub const CLIENT_SEEDS: [&str; 2] = ["a", "b"];
/// Length of the common script of both matches.
const SCRIPT: std::ops::Range<usize> = 3..9;

/// The end of a seed chain.
pub type Secret = [u8; 32];

/// A match that has not started, and its secret.
#[derive(Clone, Debug)]
pub struct Twin {
    /// The match.
    pub match_id: String,
    /// Its secret.
    pub secret: Secret,
    /// Its commitment.
    pub commitment: String,
}

impl Twin {
    /// What no answer may contain during the first round: the secret, and all seeds derived from it.
    #[must_use]
    pub fn hidden(&self) -> HashSet<Secret> {
        let chain = SeedChain::new(self.secret);
        (1..=1000).map(|round| *chain.round(round).as_bytes()).collect()
    }
}

/// Two matches, and the script played in both.
#[derive(Clone, Debug)]
pub struct Pair {
    /// The two matches.
    pub twins: [Twin; 2],
    /// Actions that are legal in both; the viewer sees the same after each.
    pub script: Vec<(Seat, Action)>,
}

/// Secrets with their seeds of round 1, which cost a thousand hashes each.
#[derive(Clone)]
pub struct Secrets(Arc<Vec<(Secret, Seed)>>);

impl Secrets {
    /// This many secrets.
    #[must_use]
    pub fn new(count: u64) -> Self {
        let secret = |number: u64| {
            let mut secret = [0; 32];
            let (first, _) = secret.split_at_mut(8);
            first.copy_from_slice(&number.to_be_bytes());
            (secret, SeedChain::new(secret).round(1))
        };
        Self(Arc::new((1..=count).map(secret).collect()))
    }
}

/// The viewer's view of a deal: who starts, the hand, the turned-up card.
type Seen = (Seat, Vec<Card>, Vec<Card>);
/// A match and a secret, by index.
type End = (usize, usize);

/// The rules to request for such matches.
#[must_use]
pub fn rules_wanted() -> Value {
    json!({"preset": "speedy", "jokers": 0, "slam_down": "any"})
}

fn rules() -> Result<Rules, Error> {
    let options = RuleOptions { jokers: 0, slam_down: SlamDown::Any, ..Preset::Speedy.options() };
    Ok(Rules::new(options).map_err(|error| error.detail)?)
}

/// Finds pairs among these matches; each match is in one pair at most.
///
/// # Errors
/// If the engine refuses the rules.
pub fn find(match_ids: &[String], secrets: &Secrets) -> Result<Vec<Pair>, Error> {
    let rules = rules()?;
    let mut deals: HashMap<Seen, Vec<End>> = HashMap::new();
    let mut used = vec![false; match_ids.len()];
    let mut pairs = Vec::new();
    for number in 0..secrets.0.len() {
        for (place, id) in match_ids.iter().enumerate() {
            if used.get(place).copied().unwrap_or(true) {
                continue;
            }
            let Some(dealt) = deal(&rules, id, secrets, number) else { continue };
            let view = dealt.view(Some(VIEWER));
            let seen = (dealt.starter(), view.hand.map(|hand| hand.cards).unwrap_or_default(), view.pile);
            let same = deals.entry(seen).or_default();
            let free =
                |other: &&(usize, usize)| other.0 != place && !used.get(other.0).copied().unwrap_or(true);
            let found = same.iter().filter(free).find_map(|other| {
                let ends = [(place, number), *other];
                pair(&rules, match_ids, secrets, ends).map(|pair| (pair, other.0))
            });
            match found {
                Some((pair, other)) => {
                    pairs.push(pair);
                    for at in [place, other] {
                        if let Some(used) = used.get_mut(at) {
                            *used = true;
                        }
                    }
                }
                None => same.push((place, number)),
            }
        }
    }
    Ok(pairs)
}

fn shuffler(id: &str, secrets: &Secrets, number: usize) -> Option<Shuffler> {
    let seed = secrets.0.get(number)?.1;
    Some(Shuffler::from_published(vec![seed], id, &CLIENT_SEEDS.map(str::to_owned)))
}

fn deal(rules: &Rules, id: &str, secrets: &Secrets, number: usize) -> Option<Match> {
    Match::start(rules, 2, &shuffler(id, secrets, number)?).ok()
}

fn pair(rules: &Rules, match_ids: &[String], secrets: &Secrets, ends: [End; 2]) -> Option<Pair> {
    let twin = |(place, number): End| {
        let secret = secrets.0.get(number)?.0;
        let commitment = SeedChain::new(secret).commitment().to_hex();
        Some(Twin { match_id: match_ids.get(place)?.clone(), secret, commitment })
    };
    let [first, second] = ends;
    let (first, second) = (twin(first)?, twin(second)?);
    let script = script(rules, secrets, ends, [&first, &second])?;
    Some(Pair { twins: [first, second], script })
}

/// A common script, if it is long enough and the viewer sees no difference in the deal either.
fn script(
    rules: &Rules,
    secrets: &Secrets,
    ends: [End; 2],
    twins: [&Twin; 2],
) -> Option<Vec<(Seat, Action)>> {
    let [(_, first), (_, second)] = ends;
    let [one, two] = twins;
    let shufflers = [shuffler(&one.match_id, secrets, first)?, shuffler(&two.match_id, secrets, second)?];
    let [dealer, other] = &shufflers;
    let mut games = [Match::start(rules, 2, dealer).ok()?, Match::start(rules, 2, other).ok()?];
    if !differ(&games) || dealt(rules, one)? != dealt(rules, two)? {
        return None;
    }
    let mut script = Vec::new();
    while script.len() < SCRIPT.end {
        let [game, _] = &games;
        let seat = game.next_to_act()?;
        let Some((action, next)) = common(&games, seat, &shufflers) else { break };
        script.push((seat, action));
        games = next;
    }
    (script.len() >= SCRIPT.start && differ(&games)).then_some(script)
}

/// Whether the other hands differ.
fn differ(games: &[Match; 2]) -> bool {
    let [first, second] = games.each_ref().map(|game| game.view(Some(OTHER)).hand);
    first != second
}

/// The viewer's hand in the order dealt, which the viewer may know as well.
fn dealt(rules: &Rules, twin: &Twin) -> Option<Vec<Vec<Card>>> {
    let player = |(seat, client_seed): (Seat, &str)| RecordPlayer {
        seat,
        name: String::new(),
        client_seed: client_seed.to_owned(),
    };
    let [first, second] = CLIENT_SEEDS;
    let players = vec![player((VIEWER, first)), player((OTHER, second))];
    let builder = RecordBuilder::new(rules, &twin.match_id, players, SeedChain::new(twin.secret)).ok()?;
    builder.finish(Some(VIEWER)).rounds.first().map(|round| round.hands.clone())
}

/// A discard and a draw that are legal in both games, with the same view afterwards.
fn common(games: &[Match; 2], seat: Seat, shufflers: &[Shuffler; 2]) -> Option<(Action, [Match; 2])> {
    let [first, _] = games;
    let view = first.view(Some(seat));
    let draws = std::iter::once("#".to_owned()).chain(view.pickable.iter().map(ToString::to_string));
    let hand = view.hand?.cards;
    let plays =
        draws.flat_map(|draw| hand.iter().map(move |card| format!("{card}+{draw}")).collect::<Vec<_>>());
    plays.filter_map(|play| play.parse::<Action>().ok()).find_map(|action| {
        let mut next = games.clone();
        for (game, shuffler) in next.iter_mut().zip(shufflers) {
            game.play(seat, &action, shuffler).ok()?;
        }
        let [one, two] = &next;
        let same = one.view(Some(VIEWER)) == two.view(Some(VIEWER)) && one.round() == 1;
        same.then_some((action, next))
    })
}
