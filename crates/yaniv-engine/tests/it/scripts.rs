//! Runs the text scripts of `tests/data/scripts.txt` through `analyze_line`. Their format is described there.

use serde_json::{Map, Value, json};
use yaniv_engine::analyze_line;

#[test]
fn every_script_comes_out_as_it_says() {
    let text = include_str!("../data/scripts.txt");
    let mut wrong = Vec::new();
    let blocks: Vec<&str> = text.split("\n== ").skip(1).collect();
    for block in &blocks {
        let (name, lines) = block.split_once('\n').expect("a name and lines");
        let answer = answer(name, lines);
        let mut expectations = 0;
        for line in lines.lines().filter_map(|line| line.strip_prefix("expect ")) {
            expectations += 1;
            let (pointer, value) = line.split_once(' ').expect("a pointer and a value");
            let expected: Value =
                serde_json::from_str(value).unwrap_or_else(|error| panic!("{name}: {error}"));
            let found = answer.pointer(pointer).cloned().unwrap_or(Value::Null);
            if without_detail(found) != expected {
                wrong.push(format!("{name}: {pointer} is not {value} in {answer}"));
            }
        }
        assert!(expectations > 0, "{name} expects nothing");
    }
    assert!(blocks.len() > 90);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

fn answer(name: &str, lines: &str) -> Value {
    let line = |key: &str| lines.lines().find_map(|line| line.strip_prefix(key)).map(str::trim);
    let parse =
        |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut position = json!({"pile": ["7S"], "stock": ["2H", "3H", "4H", "5H", "6H", "8H"], "turn": 0});
    position["seats"] = line("seats ").expect("seats").split('|').map(seat).collect();
    if let Some(Value::Object(more)) = line("with ").map(parse) {
        position.as_object_mut().expect("an object").extend(more);
    }
    let actions: Vec<&str> = line("actions ").map(|text| text.split(' ').collect()).unwrap_or_default();
    let request =
        json!({"rules": parse(line("rules ").expect("rules")), "position": position, "actions": actions});
    parse(&analyze_line(&request.to_string()))
}

/// `KC KD 50 out turns=1`: cards (`-`: none), the total, and other fields.
fn seat(text: &str) -> Value {
    let mut seat = Map::new();
    let mut hand = Vec::new();
    for word in text.split_whitespace() {
        if let Some((key, value)) = word.split_once('=') {
            seat.insert(key.to_owned(), json!(value.parse::<u16>().expect("a number")));
        } else if word == "out" {
            seat.insert("out".to_owned(), json!(true));
        } else if let (Ok(total), true) = (word.parse::<i32>(), word.len() != 2 || word.parse::<u8>().is_ok())
        {
            seat.insert("total".to_owned(), json!(total));
        } else if word != "-" {
            hand.push(json!(word));
        }
    }
    seat.insert("hand".to_owned(), json!(hand));
    Value::Object(seat)
}

fn without_detail(mut value: Value) -> Value {
    if let Some(map) = value.as_object_mut() {
        map.remove("detail");
    }
    value
}
