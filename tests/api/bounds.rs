//! Every integer with bounds in the OpenAPI document is refused outside of them: query parameters and body fields.

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::clocks::sandbox;
use crate::moderation::moderator;
use crate::support::player::new_key;
use crate::support::{TestApp, id};

/// An integer of the document.
#[derive(Clone)]
struct Bounded {
    /// Names of fields, from the outermost; `[]` is an item of a list.
    path: Vec<String>,
    least: Option<i64>,
    most: Option<i64>,
}

fn resolved<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => document.pointer(reference.trim_start_matches('#')).unwrap(),
        None => schema,
    }
}

fn find(document: &Value, schema: &Value, path: &[String], found: &mut Vec<Bounded>) {
    let schema = resolved(document, schema);
    let below = |name: &str| [path, &[name.to_owned()]].concat();
    if schema["type"] == "integer" {
        let (least, most) = (schema["minimum"].as_i64(), schema["maximum"].as_i64());
        found.push(Bounded { path: path.to_vec(), least, most });
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        find(document, field, &below(name), found);
    }
    if schema["type"] == "array" {
        find(document, &schema["items"], &below("[]"), found);
    }
}

/// A value of a schema, from its examples, with this number at the path.
fn with(document: &Value, schema: &Value, example: Value, path: &[String], number: i64) -> Value {
    let schema = resolved(document, schema);
    let Some((name, rest)) = path.split_first() else { return json!(number) };
    if name == "[]" {
        return json!([with(document, &schema["items"], Value::Null, rest, number)]);
    }
    let mut fields = example.as_object().cloned().unwrap_or_else(|| {
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let of = |name: &str| resolved(document, &schema["properties"][name])["examples"][0].clone();
        required.map(|name| (name.to_owned(), of(name))).collect::<Map<_, _>>()
    });
    let inner = fields.get(name).cloned().unwrap_or_default();
    fields.insert(name.clone(), with(document, &schema["properties"][name], inner, rest, number));
    Value::Object(fields)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_integer_beyond_its_documented_bounds_is_refused() {
    let app = TestApp::start_with(|options| options.sandboxes = true).await;
    let players = app.players(2).await;
    let ada = &players[0];
    let mod_1 = moderator(&app, "mod_1").await;
    let started = sandbox(&players, json!({})).await;
    let bot = ada.post("/v1/bots", None, &json!({"username": "ada_bot"})).await.expect(201);
    let hook = json!({"url": "https://hooks.example/ada", "format": "standard"});
    let channel = ada.post("/v1/webhook-channels", None, &hook).await.expect(201);
    let places = [
        ("{match_id}", id(&started)),
        ("{bot_id}", id(&bot)),
        ("{channel_id}", id(&channel["channel"])),
        ("{username}", "ada"),
        ("{preset}", "yaniv"),
        ("{round}", "1"),
    ];
    let document = yaniv_http::openapi::declared();
    let (mut asked, mut passed) = (0, Vec::new());
    for (path, item) in document["paths"].as_object().unwrap() {
        let address = places.iter().fold(path.clone(), |path, (name, value)| path.replace(name, value));
        for (method, operation) in item.as_object().unwrap() {
            let method: Method = method.to_uppercase().parse().unwrap();
            let mut requests: Vec<(String, Option<Value>)> = Vec::new();
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                let mut found = Vec::new();
                find(&document, &parameter["schema"], &[], &mut found);
                for Bounded { least, most, .. } in found.iter().filter(|_| parameter["in"] == "query") {
                    for number in beyond(*least, *most) {
                        let name = parameter["name"].as_str().unwrap();
                        requests.push((format!("{address}?{name}={number}"), None));
                    }
                }
            }
            let content = &operation["requestBody"]["content"]["application/json"];
            let mut found = Vec::new();
            find(&document, &content["schema"], &[], &mut found);
            for Bounded { path, least, most } in &found {
                for number in beyond(*least, *most) {
                    let body = with(&document, &content["schema"], content["example"].clone(), path, number);
                    requests.push((address.clone(), Some(body)));
                }
            }
            for (target, body) in requests {
                asked += 1;
                let key = new_key();
                let bytes = body.as_ref().map(|body| serde_json::to_vec(body).unwrap());
                let takes_key = operation["parameters"].to_string().contains("Idempotency-Key");
                let headers = [("idempotency-key", key.as_str())];
                let headers = if takes_key { &headers[..] } else { &[] };
                let caller = if operation["x-scope"] == "moderate" { &mod_1 } else { ada };
                let answer = caller.request(method.clone(), &target, headers, bytes).await;
                if answer.status != 422 {
                    passed.push(format!("{} {method} {target} {body:?}", answer.status));
                }
            }
        }
    }
    assert!(asked > 200, "only {asked} were asked");
    assert_eq!(passed, Vec::<String>::new());
}

/// One less than the minimum, one more than the maximum.
fn beyond(least: Option<i64>, most: Option<i64>) -> impl Iterator<Item = i64> {
    [least.map(|least| least - 1), most.map(|most| most + 1)].into_iter().flatten()
}
