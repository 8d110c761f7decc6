//! `analyze` of rules §12: a line of JSON in, a line of JSON out. Every line gets an answer.

use serde::Serialize;
use serde_json::Value;

use crate::cards::seat::Seat;
use crate::error::{Code, PlayError};
use crate::match_::state::Match;
use crate::round::action::Action;
use crate::round::event::{MatchResult, RoundEnd};
use crate::rules::json::rules_from_json;
use crate::shuffle::shuffler::Shuffler;
use crate::tools::perft::{PERFT_DEPTH, perft, price_of_list};
use crate::tools::position::Position;

/// Answers one line of `analyze`: the position after the actions, the legal actions, the end of round and match, and
/// the count of action sequences if requested; or the first error.
pub fn analyze_line(line: &str) -> String {
    let answer = match analyze(line) {
        Ok(answer) => serde_json::to_string(&answer),
        Err(fault) => serde_json::to_string(&Refusal { error: fault }),
    };
    answer.unwrap_or_else(|_| r#"{"error":{"code":"bad_notation","detail":"no answer"}}"#.to_owned())
}

#[derive(Serialize)]
struct Answer {
    to_act: Vec<Seat>,
    legal: Vec<String>,
    position: Position,
    round: Option<Round>,
    #[serde(rename = "match")]
    match_: Option<MatchResult>,
    #[serde(skip_serializing_if = "Option::is_none")]
    perft: Option<u64>,
}

#[derive(Serialize)]
struct Round {
    caller: Seat,
    points: Vec<i32>,
    scores: Vec<i32>,
    totals: Vec<i32>,
    reduced: Vec<Seat>,
    out: Vec<Seat>,
    starter: Option<Seat>,
}

#[derive(Serialize)]
struct Refusal {
    error: Fault,
}

#[derive(Serialize)]
struct Fault {
    code: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<usize>,
    detail: String,
}

impl Fault {
    fn new(code: Code, detail: impl Into<String>) -> Fault {
        Fault { code: code.as_str(), at: None, detail: detail.into() }
    }

    fn at(index: usize, error: PlayError) -> Fault {
        Fault { code: error.code.as_str(), at: Some(index), detail: error.detail.into_owned() }
    }
}

fn analyze(line: &str) -> Result<Answer, Fault> {
    let not_json = || Fault::new(Code::BadNotation, "the line is no JSON object");
    let Ok(Value::Object(request)) = serde_json::from_str::<Value>(line) else {
        return Err(not_json());
    };
    let rules = request.get("rules").ok_or_else(|| Fault::new(Code::BadRules, "there are no rules"))?;
    let rules = rules_from_json(rules).map_err(|error| Fault::new(Code::BadRules, error.to_string()))?;
    let position =
        request.get("position").ok_or_else(|| Fault::new(Code::BadPosition, "there is no position"))?;
    let position: Position = serde::Deserialize::deserialize(position)
        .map_err(|error: serde_json::Error| Fault::new(Code::BadPosition, error.to_string()))?;
    let mut state = Match::from_position(&rules, &position)
        .map_err(|error| Fault::new(Code::BadPosition, error.to_string()))?;
    let depth = match request.get("perft") {
        None | Some(Value::Null) => None,
        Some(depth) => {
            let depth = depth.as_u64().and_then(|depth| u32::try_from(depth).ok());
            let depth = depth.filter(|depth| *depth <= PERFT_DEPTH);
            Some(depth.ok_or_else(|| Fault::new(Code::BadNotation, "perft is a whole number from 0 to 64"))?)
        }
    };
    let actions = match request.get("actions") {
        None | Some(Value::Null) => &[],
        Some(Value::Array(actions)) => actions.as_slice(),
        Some(_) => return Err(Fault::new(Code::BadNotation, "actions is no list")),
    };
    let mut end = None;
    for (index, action) in actions.iter().enumerate() {
        end = play(&mut state, action).map_err(|error| Fault::at(index, error))?;
    }
    answer(&state, end, depth)
}

/// Plays one action as text; returns the end of the round, if it ended.
fn play(state: &mut Match, text: &Value) -> Result<Option<Box<RoundEnd>>, PlayError> {
    let bad = |detail| PlayError::new(Code::BadNotation, detail);
    let text = text.as_str().ok_or(bad("an action is a text"))?;
    let prefix = text.split_once(':').filter(|(seat, _)| seat.bytes().all(|byte| byte.is_ascii_digit()));
    let (seat, action) = match prefix {
        Some((seat, action)) => {
            let number = seat.parse::<u8>().ok().filter(|number| *number < state.players());
            (Some(Seat::new(number.ok_or(bad("there is no such seat"))?)), action)
        }
        None => (None, text),
    };
    let action: Action = action.parse()?;
    let seat = seat.or_else(|| state.to_act().first().copied()).unwrap_or(Seat::new(0));
    Ok(state.play(seat, &action, &Shuffler::unseeded())?.round_ended)
}

fn answer(state: &Match, end: Option<Box<RoundEnd>>, depth: Option<u32>) -> Result<Answer, Fault> {
    let to_act = state.to_act();
    let mut legal = Vec::new();
    for seat in &to_act {
        let too_many = || Fault::new(Code::BadPosition, "a hand has too many discards to list them");
        price_of_list(state, *seat).ok_or_else(too_many)?;
        let prefix = if to_act.len() > 1 { format!("{seat}:") } else { String::new() };
        legal.extend(state.legal_actions(*seat).iter().map(|action| format!("{prefix}{action}")));
    }
    legal.sort_unstable();
    let perft = match depth {
        None => None,
        Some(depth) => {
            let too_deep = || Fault::new(Code::BadNotation, "perft is too deep: it would take too much work");
            Some(perft(state, depth).ok_or_else(too_deep)?)
        }
    };
    let round = end.and_then(|end| end.result).map(|result| Round {
        caller: result.caller,
        points: result.points,
        scores: result.scores,
        totals: result.totals,
        reduced: result.reduced,
        out: result.out,
        starter: result.next_starter,
    });
    Ok(Answer { to_act, legal, position: state.position(), round, match_: state.result(), perft })
}
