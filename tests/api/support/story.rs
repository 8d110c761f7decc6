//! Recorder of requests and answers by operation, with stable identifiers, times and secrets.

use std::collections::{BTreeMap, HashSet};

use chrono::{DateTime, Days, NaiveDate, SecondsFormat, TimeDelta, Timelike, Utc};
use reqwest::Method;
use serde_json::{Map, Value, json};
use yaniv_http::openapi;

use super::Player;
use super::player::new_key;
use super::statements::{Counts, Statements, keep_least};

/// The time of the story; it takes place within this minute.
const BEGUN: &str = "2026-11-21T08:00:00Z";
/// Bytes of an item that is an example by itself.
const LARGE: usize = 300;

/// The join code.
const CODE: &str = "7KQ2MXDR";

/// A recording in progress.
pub(crate) struct Story {
    operations: BTreeMap<String, Operation>,
    told: BTreeMap<String, Value>,
    begun: DateTime<Utc>,
    /// Texts of the examples, which stay.
    constants: HashSet<String>,
    /// What is replaced: the value of this run, and that of the document.
    names: Vec<(String, String)>,
    statements: Option<Statements>,
    /// What each reading operation has sent to the database at least, if that is counted.
    counts: Counts,
}

struct Operation {
    method: Method,
    path: String,
    example: Option<Value>,
}

impl Story {
    /// A story that begins now.
    pub(crate) fn begin(statements: Option<Statements>) -> Self {
        let document = openapi::declared();
        let mut operations = BTreeMap::new();
        for (path, item) in document["paths"].as_object().unwrap() {
            for (method, operation) in item.as_object().unwrap() {
                let method = method.to_uppercase().parse().unwrap();
                let example = operation.pointer("/requestBody/content/application~1json/example").cloned();
                let id = operation["operationId"].as_str().unwrap().to_owned();
                operations.insert(id, Operation { method, path: path.clone(), example });
            }
        }
        let mut constants = HashSet::new();
        operations
            .values()
            .filter_map(|operation| operation.example.as_ref())
            .for_each(|example| texts(example, &mut constants));
        Self {
            operations,
            told: BTreeMap::new(),
            begun: Utc::now(),
            constants,
            names: Vec::new(),
            statements,
            counts: BTreeMap::new(),
        }
    }

    /// Replaces an identifier by the one that the document uses for its kind.
    pub(crate) fn names(&mut self, id: &Value, number: u32) {
        self.names.push((id.as_str().unwrap().to_owned(), identifier(number)));
    }

    /// The example of the request body of an operation.
    pub(crate) fn example(&self, operation: &str) -> Value {
        self.operations[operation].example.clone().unwrap_or_default()
    }

    /// Calls an operation with its example, and records it.
    pub(crate) async fn tell(&mut self, player: &Player, operation: &str, path: &[&str]) -> Value {
        let body = self.example(operation);
        self.tell_with(player, operation, path, body).await
    }

    /// Calls it with another body: the fields replace those of the example.
    pub(crate) async fn tell_but(
        &mut self,
        player: &Player,
        operation: &str,
        path: &[&str],
        fields: Value,
    ) -> Value {
        let mut body = self.example(operation);
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        self.tell_with(player, operation, path, body).await
    }

    /// Calls it with this body. The values fill the places of the path, in order; one that begins with `?` is the query.
    pub(crate) async fn tell_with(
        &mut self,
        player: &Player,
        operation: &str,
        path: &[&str],
        body: Value,
    ) -> Value {
        let Operation { method, path: template, .. } = &self.operations[operation];
        let (mut target, mut values) = (String::new(), path.iter());
        for part in template.split_inclusive(['{', '}']) {
            match part.strip_suffix('}') {
                Some(_) => target.push_str(values.next().unwrap()),
                None => target.push_str(part.trim_end_matches('{')),
            }
        }
        values.for_each(|query| target.push_str(query));
        let key = new_key();
        let sent = (!body.is_null()).then(|| serde_json::to_vec(&body).unwrap());
        let headers: &[(&str, &str)] =
            if *method == Method::POST { &[("idempotency-key", &key)] } else { &[] };
        if let Some(statements) = self.statements.as_ref().filter(|_| *method == Method::GET) {
            let count = statements.least(async || drop(player.get(&target).await)).await;
            keep_least(&mut self.counts, operation, count);
        }
        let answer = player.request(method.clone(), &target, headers, sent).await;
        assert!(answer.status.is_success(), "{operation}: {}", answer.body);
        let mut told = Map::from_iter([("status".to_owned(), json!(answer.status.as_u16()))]);
        let received = serde_json::from_str::<Value>(&answer.body).unwrap_or_default();
        for (name, value) in [("request", &body), ("response", &received)] {
            if !value.is_null() {
                told.insert(name.to_owned(), value.clone());
            }
        }
        self.told.insert(operation.to_owned(), Value::Object(told));
        received
    }

    /// What was told, and what it has sent to the database, by operation.
    pub(crate) fn end(mut self) -> (Value, Counts) {
        let told = Value::Object(std::mem::take(&mut self.told).into_iter().collect());
        let mut others = 6;
        (self.normal(&told, &mut others), self.counts)
    }

    fn normal(&mut self, value: &Value, others: &mut u32) -> Value {
        match value {
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| (name.clone(), self.normal(value, others))).collect()
            }
            Value::Array(items) => {
                items.iter().take(most(items)).map(|item| self.normal(item, others)).collect()
            }
            Value::String(text) => json!(self.text(text, others)),
            _ => value.clone(),
        }
    }

    fn text(&mut self, text: &str, others: &mut u32) -> String {
        if let Ok(time) = text.parse::<DateTime<Utc>>() {
            return self.time(time).to_rfc3339_opts(SecondsFormat::Micros, true);
        }
        if let Ok(day) = text.parse::<NaiveDate>() {
            return (day + self.days()).to_string();
        }
        if self.constants.contains(text) {
            return text.to_owned();
        }
        if let Some((_, known)) = self.names.iter().find(|(own, _)| own == text) {
            return known.clone();
        }
        let made = match text {
            _ if uuid::Uuid::parse_str(text).is_ok() => identifier(*others),
            _ if text.starts_with("eyJ") => {
                "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJ5YW5pdiJ9.c2ln".to_owned()
            }
            _ if is_code(text) => CODE.to_owned(),
            _ if is_random(text) => plain(text, *others),
            _ => return text.to_owned(),
        };
        *others += 1;
        self.names.push((text.to_owned(), made.clone()));
        made
    }

    /// Moved to the time of the story, in whole minutes. A full hour of another part of the day stays that hour.
    fn time(&self, time: DateTime<Utc>) -> DateTime<Utc> {
        let begun = BEGUN.parse::<DateTime<Utc>>().unwrap();
        if time.timestamp() % 3600 == 0 && time.timestamp_subsec_micros() == 0 {
            let moved = time + self.days();
            return if time.hour() == self.begun.hour() {
                moved.with_hour(begun.hour()).unwrap()
            } else {
                moved
            };
        }
        let moved = (begun + (time - self.begun)).timestamp() + 30;
        DateTime::from_timestamp(moved - moved.rem_euclid(60), 0).unwrap()
    }

    /// From this run to the story.
    fn days(&self) -> TimeDelta {
        BEGUN.parse::<DateTime<Utc>>().unwrap().date_naive() - self.begun.date_naive()
    }

    /// A day of this run, this many days after its begin.
    pub(crate) fn day_after(&self, days: u64) -> String {
        (self.begun.date_naive() + Days::new(days)).to_string()
    }
}

/// How many items of a list an example has: two of objects or lists, one of large ones, and all of others.
fn most(items: &[Value]) -> usize {
    match items.first() {
        Some(item) if item.to_string().len() > LARGE => 1,
        Some(Value::Object(_) | Value::Array(_)) => 2,
        _ => items.len(),
    }
}

/// All texts of a value.
fn texts(value: &Value, into: &mut HashSet<String>) {
    match value {
        Value::Object(fields) => fields.values().for_each(|value| texts(value, into)),
        Value::Array(items) => items.iter().for_each(|value| texts(value, into)),
        Value::String(text) => drop(into.insert(text.clone())),
        _ => {}
    }
}

fn identifier(number: u32) -> String {
    format!("0193aa00-0000-7000-8000-{number:012}")
}

fn is_code(text: &str) -> bool {
    text.len() == CODE.len()
        && text.chars().all(|letter| letter.is_ascii_digit() || letter.is_ascii_uppercase())
}

/// Whether a text is a token, a key or a hash.
fn is_random(text: &str) -> bool {
    let has = |is: fn(&char) -> bool| text.chars().any(|letter| is(&letter));
    let mixed = has(char::is_ascii_digit) && has(char::is_ascii_alphabetic);
    let letters = text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_=+/".contains(letter));
    text.len() >= 24 && mixed && letters && !text.starts_with('/')
}

/// A text of the same length that ends with this number, after the same prefix. It repeats itself, as a random one would
/// not compress.
fn plain(text: &str, number: u32) -> String {
    let prefix =
        ["yaniv_pat_", "whsec_"].into_iter().find(|prefix| text.starts_with(prefix)).unwrap_or_default();
    let repeated = "7f1c9a3e".chars().cycle().take(text.len() - prefix.len() - 3);
    format!("{prefix}{}{:03}", repeated.collect::<String>(), number % 1000)
}
