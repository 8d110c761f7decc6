//! Statistics recounted from exported records alone, by code independent of the service.
//!
//! It does not use the engine, only the documentation. Records do not contain actions played for absent players, nor
//! fractions of seconds: where all players acted themselves, everything is counted except replies and deadlines.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde_json::Value;

/// Counts of all players, by name.
#[derive(Debug, Default)]
pub(crate) struct Recount {
    /// Players by name.
    pub(crate) players: BTreeMap<String, Recounted>,
}

/// Counts of a player. The names are those of the API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Recounted {
    /// Rounds in which they were dealt cards.
    pub(crate) rounds: i64,
    /// Rounds won.
    pub(crate) rounds_won: i64,
    /// Longest streak of rounds won within a match.
    pub(crate) longest_round_streak: i64,
    /// Successful calls.
    pub(crate) right_calls: i64,
    /// Failed calls.
    pub(crate) wrong_calls: i64,
    /// Points in hand at both kinds of calls.
    pub(crate) call_points: i64,
    /// Failed calls of others that they defeated.
    pub(crate) asafs_inflicted: i64,
    /// Rounds lost to another player's call.
    pub(crate) rounds_lost: i64,
    /// Points in hand at the end of those rounds.
    pub(crate) points_lost: i64,
    /// How often their total was reduced.
    pub(crate) reductions: i64,
    /// Slam-downs.
    pub(crate) slam_downs: i64,
    /// Finished matches: time of the end, match, number of seats, and place.
    pub(crate) ended: Vec<(Option<DateTime<Utc>>, String, usize, i64)>,
}

/// How a round is scored.
struct Scored {
    caller: usize,
    right: bool,
    defeated_by: Vec<usize>,
    winners: Vec<usize>,
    /// Seats that had not left when it was scored.
    present: Vec<bool>,
}

impl Recounted {
    /// Number of finished matches.
    pub(crate) fn matches(&self) -> usize {
        self.ended.len()
    }

    /// Matches won.
    pub(crate) fn wins(&self) -> usize {
        self.ended.iter().filter(|(.., place)| *place == 1).count()
    }

    /// Longest streak of matches won.
    pub(crate) fn longest_streak(&self) -> usize {
        let mut ended: Vec<_> = self.ended.iter().collect();
        ended.sort();
        let (mut run, mut longest) = (0, 0);
        for (.., place) in ended {
            run = if *place == 1 { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest
    }

    /// Number of each place, by number of seats.
    pub(crate) fn places(&self) -> BTreeMap<(usize, i64), usize> {
        let mut places = BTreeMap::new();
        for (_, _, seats, place) in &self.ended {
            *places.entry((*seats, *place)).or_default() += 1;
        }
        places
    }
}

impl Recounted {
    /// Differences to the player's statistics that the API shows.
    pub(crate) fn differences(&self, shown: &Value) -> Vec<String> {
        let mut found = Vec::new();
        for (name, expected) in [
            ("matches", count(self.matches())),
            ("wins", count(self.wins())),
            ("longest_streak", count(self.longest_streak())),
            ("rounds", self.rounds),
            ("rounds_won", self.rounds_won),
            ("longest_round_streak", self.longest_round_streak),
            ("right_calls", self.right_calls),
            ("wrong_calls", self.wrong_calls),
            ("asafs_inflicted", self.asafs_inflicted),
            ("reductions", self.reductions),
            ("slam_downs", self.slam_downs),
            ("missed_deadlines", 0),
        ] {
            if shown[name].as_i64() != Some(expected) {
                found.push(format!("{name} is not {expected}: {}", shown[name]));
            }
        }
        for (name, expected) in [
            ("mean_call_points", mean(self.call_points, self.right_calls + self.wrong_calls)),
            ("mean_hand_given_up", mean(self.points_lost, self.rounds_lost)),
        ] {
            let close = match (shown[name].as_f64(), expected) {
                (Some(shown), Some(expected)) => (shown - expected).abs() < 0.0051,
                (shown, expected) => shown.is_none() && expected.is_none(),
            };
            if !close {
                found.push(format!("{name} is not {expected:?}: {}", shown[name]));
            }
        }
        let place = |place: &Value| {
            let part = |name: &str| usize::try_from(number(&place[name])).unwrap_or(usize::MAX);
            ((part("size"), number(&place["place"])), part("matches"))
        };
        let places: BTreeMap<_, _> = list(&shown["places"]).iter().map(place).collect();
        if places != self.places() {
            found.push(format!("places are not {:?}: {}", self.places(), shown["places"]));
        }
        found
    }
}

impl Recount {
    /// Counts a record; for a finished match, with the end time as the API prints it.
    pub(crate) fn add(&mut self, record: &Value, ended_at: Option<&str>) {
        let names: Vec<&str> = list(&record["players"]).iter().map(|player| text(&player["name"])).collect();
        let mut runs = vec![0; names.len()];
        for round in list(&record["rounds"]).iter().filter(|round| round["seed"].is_string()) {
            self.add_round(&record["rules"], &names, round, &mut runs);
        }
        let result = &record["result"];
        let places = list(&result["ranking"]);
        for (name, place) in names.iter().zip(places) {
            let ended = ended_at.and_then(|text| text.parse().ok());
            let id = text(&record["match_id"]).to_owned();
            self.player(name).ended.push((ended, id, names.len(), number(place)));
        }
    }

    fn add_round(&mut self, rules: &Value, names: &[&str], round: &Value, runs: &mut [i64]) {
        let dealt: Vec<bool> = list(&round["hands"]).iter().map(|hand| !list(hand).is_empty()).collect();
        for (name, _) in names.iter().zip(&dealt).filter(|(_, dealt)| **dealt) {
            self.player(name).rounds += 1;
        }
        for action in
            list(&round["actions"]).iter().filter(|action| text(&action["action"]).starts_with("slam"))
        {
            if let Some(name) = names.get(seat_of(action)) {
                self.player(name).slam_downs += 1;
            }
        }
        let result = &round["result"];
        if !result.is_object() {
            return;
        }
        let scored = scored(rules, round, &dealt);
        for (seat, name) in names.iter().enumerate() {
            let points = points_of(result, seat);
            let player = self.player(name);
            if scored.caller == seat {
                player.right_calls += i64::from(scored.right);
                player.wrong_calls += i64::from(!scored.right);
                player.call_points += points;
            }
            player.asafs_inflicted += i64::from(scored.defeated_by.contains(&seat));
            let won = scored.winners.contains(&seat);
            if let Some(run) = runs.get_mut(seat) {
                *run = if won { *run + 1 } else { 0 };
                player.longest_round_streak = player.longest_round_streak.max(*run);
            }
            player.rounds_won += i64::from(won);
            if !won && scored.caller != seat && scored.present.get(seat) == Some(&true) {
                player.rounds_lost += 1;
                player.points_lost += points;
            }
            let reduced = list(&result["reduced"]).iter().any(|one| number(one) == count(seat));
            player.reductions += i64::from(reduced);
        }
    }

    fn player(&mut self, name: &str) -> &mut Recounted {
        self.players.entry(name.to_owned()).or_default()
    }
}

/// The scoring call of a round and its result, from the actions and points.
fn scored(rules: &Value, round: &Value, dealt: &[bool]) -> Scored {
    let actions = list(&round["actions"]);
    let result = &round["result"];
    let caller = usize::try_from(number(&result["caller"])).unwrap_or_default();
    // No call can follow the one that is scored.
    let call =
        actions.iter().rposition(|action| text(&action["action"]).starts_with("call")).unwrap_or_default();
    let (turn, present) = walk(rules, round, dealt, call);
    let points = |seat: usize| points_of(result, seat);
    let out_of_turn = turn != caller;
    let limit = rules["call_limit"].as_i64();
    let over = limit.is_some_and(|limit| points(caller) > limit) && text(&rules["over_limit"]) == "penalty";
    let others = (0..dealt.len()).filter(|seat| *seat != caller && present.get(*seat) == Some(&true));
    let defeated_by: Vec<usize> = if out_of_turn {
        Vec::new()
    } else if text(&rules["response"]) == "challenge" && !over {
        let said = actions.iter().skip(call + 1).filter(|action| text(&action["action"]) == "challenge");
        let callers = std::iter::once(caller).chain(said.map(seat_of));
        let callers = callers.filter(|seat| present.get(*seat) == Some(&true));
        let lowest = callers.min_by_key(|seat| points(*seat)).unwrap_or(caller);
        Some(lowest).filter(|lowest| *lowest != caller).into_iter().collect()
    } else {
        let tie = rules["tie_is_wrong"] == true;
        let less = |seat: &usize| points(*seat) < points(caller) || tie && points(*seat) == points(caller);
        others.filter(less).collect()
    };
    let right = !out_of_turn && !over && defeated_by.is_empty();
    let least = defeated_by.iter().map(|seat| points(*seat)).min();
    let winners = if right {
        vec![caller]
    } else {
        defeated_by.iter().copied().filter(|seat| Some(points(*seat)) == least).collect()
    };
    Scored { caller, right, defeated_by, winners, present }
}

/// The seat whose turn it was at a call, and the seats that were present at the end.
fn walk(rules: &Value, round: &Value, dealt: &[bool], call: usize) -> (usize, Vec<bool>) {
    let mut present = dealt.to_vec();
    let clockwise = text(&rules["direction"]) != "counterclockwise";
    let after = |seat: usize, present: &[bool]| {
        let count = present.len();
        let steps = (1..=count).map(|step| if clockwise { seat + step } else { seat + count - step });
        steps.map(|place| place % count).find(|place| present.get(*place) == Some(&true)).unwrap_or(seat)
    };
    let mut turn = usize::try_from(number(&round["starter"])).unwrap_or_default();
    let mut at_call = turn;
    for (index, action) in list(&round["actions"]).iter().enumerate() {
        let (seat, what) = (seat_of(action), text(&action["action"]));
        if index == call {
            at_call = turn;
        }
        // A call over the limit eliminates the player, and the round continues.
        let leaves = what == "resign"
            || index < call && what.starts_with("call") && text(&rules["over_limit"]) == "eliminate";
        if leaves && let Some(there) = present.get_mut(seat) {
            *there = false;
        }
        if seat == turn && (leaves || what == "pass" || what.contains('+')) {
            turn = after(turn, &present);
        }
    }
    (at_call, present)
}

fn points_of(result: &Value, seat: usize) -> i64 {
    list(&result["points"]).get(seat).map(number).unwrap_or_default()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn count(count: usize) -> i64 {
    i64::try_from(count).unwrap_or_default()
}

fn mean(sum: i64, count: i64) -> Option<f64> {
    let number = |number: i64| f64::from(i32::try_from(number).unwrap_or(i32::MAX));
    (count > 0).then(|| number(sum) / number(count))
}

fn seat_of(action: &Value) -> usize {
    usize::try_from(number(&action["seat"])).unwrap_or(usize::MAX)
}
