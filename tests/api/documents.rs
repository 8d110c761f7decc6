//! The OpenAPI document: committed as served, complete, and readable by every generator.

use serde_json::{Value, json};
use yaniv_http::kernel::problem::ProblemCode;
use yaniv_http::openapi::{self, Edition, document_text};

use crate::support::{Player, TestApp};

const COMMITTED: [(Edition, &str); 2] =
    [(Edition::V31, "openapi/yaniv.json"), (Edition::V30, "openapi/yaniv-3.0.json")];

fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap();
    let of_path = |(path, item): (&String, &Value)| -> Vec<(String, Value)> {
        item.as_object()
            .unwrap()
            .iter()
            .map(|(method, operation)| (format!("{method} {path}"), operation.clone()))
            .collect()
    };
    let names: Vec<String> = paths.iter().flat_map(of_path).map(|(name, _)| name).collect();
    let values = paths.iter().flat_map(|(_, item)| item.as_object().unwrap().values());
    names.into_iter().zip(values).collect()
}

#[test]
fn the_committed_documents_are_the_served_ones() {
    for (edition, path) in COMMITTED {
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert!(committed == document_text(edition), "{path} is out of date; run contract/renew");
    }
}

/// Every example of a body or parameter is checked against its schema.
#[test]
fn examples_are_what_they_are_examples_of() {
    let document = openapi::document();
    let wrong = yaniv_contract::wrong_examples(&document).unwrap();
    assert_eq!(wrong, Vec::<String>::new());
}

/// An example shows what can happen: no flag that is left out unless it is true, no details of another type, times as
/// answers print them.
#[test]
fn examples_agree_with_their_descriptions() {
    let document = yaniv_contract::resolved(&openapi::document());
    let mut wrong = Vec::new();
    for (name, operation) in operations(&document) {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let content = &answer["content"]["application/json"];
            contradictions(
                &document,
                &content["schema"],
                &content["example"],
                &format!("{name} {status}"),
                &mut wrong,
            );
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

fn contradictions(document: &Value, schema: &Value, example: &Value, place: &str, wrong: &mut Vec<String>) {
    let named = schema["$ref"].as_str().map(|path| document.pointer(&path[1..]).unwrap());
    let schema = named.unwrap_or(schema);
    for (index, item) in example.as_array().into_iter().flatten().enumerate() {
        contradictions(document, &schema["items"], item, &format!("{place}[{index}]"), wrong);
    }
    if schema["format"] == "date-time" && example.as_str().is_some_and(|time| time.len() != 27) {
        wrong.push(format!("{place}: {example} has not six digits"));
    }
    for (name, value) in example.as_object().into_iter().flatten() {
        let (of, place) = (&schema["properties"][name], format!("{place}.{name}"));
        let said = of["description"].as_str().unwrap_or_default();
        let required = schema["required"].as_array().is_some_and(|names| names.contains(&json!(name)));
        let usual = [json!(false), json!([])].contains(value);
        if !required && usual && ["left out", "Left out", "Absent: "].iter().any(|word| said.contains(word)) {
            wrong.push(format!("{place} is {value}: {said}"));
        }
        let of_type = said.split("if the type is `").nth(1).and_then(|rest| rest.split('`').next());
        if of_type.is_some_and(|of_type| example["type"] != of_type) {
            wrong.push(format!("{place} is of another type: {said}"));
        }
        contradictions(document, of, value, &place, wrong);
    }
}

#[test]
fn every_operation_says_what_it_does_takes_and_answers() {
    let document = yaniv_contract::resolved(&openapi::document());
    let mut ids = Vec::new();
    for (name, operation) in operations(&document) {
        let text = |field: &str| operation[field].as_str().unwrap_or_default().to_owned();
        assert!(text("summary").len() > 3 && text("description").len() > 10, "{name}");
        assert!(!text("operationId").is_empty(), "{name}");
        ids.push(text("operationId"));
        assert_eq!(operation["tags"].as_array().map(Vec::len), Some(1), "{name}");
        if let Some(body) = operation.get("requestBody") {
            assert!(!body["content"]["application/json"]["example"].is_null(), "{name} has no example");
        }
        match operation["x-scope"].as_str() {
            Some(scope) => assert!(text("description").contains(&format!("Scope: `{scope}`")), "{name}"),
            None => assert_eq!(operation["security"], json!([]), "{name}"),
        }
        check_answers(&name, operation);
        check_public(&name, operation);
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "operation ids are unique");
}

fn check_answers(name: &str, operation: &Value) {
    let answers = operation["responses"].as_object().unwrap();
    let successes = answers.keys().filter(|status| status.starts_with('2')).count();
    assert_eq!(successes, 1, "{name} has one success");
    assert!(answers.contains_key("500") && answers.contains_key("503"), "{name}");
    for (status, answer) in answers {
        assert!(!answer["description"].as_str().unwrap().is_empty(), "{name} {status}");
        assert!(status.parse::<u16>().is_ok(), "{name}: {status} is explicit");
        if let Some(content) = answer.pointer("/content/application~1json") {
            assert!(content["example"].is_object(), "{name} {status} has no example");
            assert!(!content["example"].to_string().contains("null"), "{name} {status}");
        }
        if status.starts_with(['4', '5']) {
            check_problem(name, status, answer);
        }
    }
}

fn check_problem(name: &str, status: &str, answer: &Value) {
    let content = &answer["content"]["application/problem+json"];
    assert_eq!(content["schema"]["$ref"], "#/components/schemas/Problem", "{name} {status}");
    for code in answer["description"].as_str().unwrap().split('`').skip(1).step_by(2) {
        let known = ProblemCode::ALL.iter().find(|known| known.as_str() == code);
        if let Some(known) = known {
            assert_eq!(known.status().as_str(), status, "{name}: {code}");
            assert!(answer["x-problem-codes"].as_array().unwrap().contains(&json!(code)), "{name}: {code}");
        } else {
            assert_eq!(code, "match", "{name} {status} names a code that there is not");
        }
    }
}

fn check_public(name: &str, operation: &Value) {
    let public = [
        "post /v1/accounts",
        "post /v1/guests",
        "post /v1/sessions",
        "post /v1/sessions/refresh",
        "post /v1/sessions/transfer",
        "post /v1/identity-sessions",
        "post /v1/identity-accounts",
        "post /v1/passkey-sessions",
        "post /v1/passkey-sessions/options",
        "post /v1/password-resets",
        "post /v1/accounts/reset-password",
        "post /v1/email-verifications",
        "get /healthz",
        "get /readyz",
        "get /v1/server",
        "get /v1/rule-presets",
        "get /v1/rule-options",
        "get /v1/server",
    ]
    .contains(&name);
    // With a token it says more.
    let optional = name == "get /v1/join-codes/{code}";
    assert_eq!(operation.get("security").is_some(), public || optional, "{name}");
    assert_eq!(
        operation["responses"].get("401").is_none(),
        public && !name.starts_with("post /v1/sessions"),
        "{name}"
    );
}

/// Tools send the example of a parameter with every request: a key would repeat the first write, a tag would be answered
/// with 304.
#[test]
fn keys_and_tags_have_no_example() {
    let text = document_text(Edition::V31);
    let document: Value = serde_json::from_str(&text).unwrap();
    for (name, operation) in operations(&yaniv_contract::resolved(&document)) {
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let is_one_time =
                ["Idempotency-Key", "If-None-Match"].map(Value::from).contains(&parameter["name"]);
            assert!(!is_one_time || parameter.get("example").is_none(), "{name}: {}", parameter["name"]);
        }
    }
}

/// docs/api-design.md, "Names".
#[test]
fn names_follow_one_convention() {
    let document = openapi::document();
    for (name, operation) in operations(&document) {
        let Some(path) = name.strip_prefix("post ") else { continue };
        let id = operation["operationId"].as_str().unwrap();
        let verb = id.split(|letter: char| letter.is_uppercase()).next().unwrap();
        let last = path.rsplit('/').next().unwrap();
        let (plural, command) = (last.ends_with('s'), last.split('-').next() == Some(verb));
        assert!(plural || command, "{id}: {path} ends neither in a plural noun nor in the verb {verb}");
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        // The JSON of browsers has its own names.
        let of_browsers = ["RelyingParty", "User", "Descriptor", "Registration", "Authentication"];
        let exempt = name.strip_prefix("Passkey").is_some_and(|rest| of_browsers.contains(&rest));
        let named = exempt || schema["properties"].get("id").is_none();
        assert!(named, "{name}: an identifier is named after its thing");
    }
}

/// Nulls, unions and tuples break generators, as do schemas without a description.
#[test]
fn schemas_are_flat_and_explained() {
    let document = openapi::document();
    let text = document_text(Edition::V31);
    for word in ["oneOf", "anyOf", "allOf", "prefixItems", "\"null\"", "\"default\":", "4XX", "5XX"] {
        assert!(!text.contains(word), "{word}");
    }
    for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
        assert!(schema["description"].is_string(), "{name}");
        for (property, schema) in schema["properties"].as_object().into_iter().flatten() {
            let explained = schema["description"].is_string() || schema["$ref"].is_string();
            assert!(explained, "{name}.{property}");
            if schema["type"] == "array" {
                assert!(schema["maxItems"].is_u64(), "{name}.{property} has no bound");
            }
        }
    }
}

#[test]
fn every_code_that_the_table_has_is_answered_somewhere() {
    let text = document_text(Edition::V31);
    for code in ProblemCode::ALL {
        let everywhere = [
            ProblemCode::NotFound,
            ProblemCode::MethodNotAllowed,
            ProblemCode::RoundOver,
            ProblemCode::NotAllowedByRules,
        ];
        assert!(
            text.contains(&format!("\"{}\"\n", code.as_str()))
                || text.contains(&format!("\"{}\",\n", code.as_str()))
                || everywhere.contains(code),
            "{}",
            code.as_str()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_its_page_and_the_state_are_served() {
    let app = TestApp::start().await;
    let nobody = Player::anonymous(app.address);
    for (path, edition) in [("/openapi-3.0.json", Edition::V30), ("/openapi.json", Edition::V31)] {
        let generated: Value = serde_json::from_str(&document_text(edition)).unwrap();
        assert!(nobody.get(path).await.expect(200) == generated, "{path}");
    }
    let page = nobody.get("/docs/").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("swagger-ui") && page.body.contains("name=\"viewport\""), "{}", page.body);
    assert!(!page.body.contains("https://"), "the page needs no other server");
    for file in page.body.split(['"', '\'']).filter(|text| text.starts_with("./")) {
        assert!(nobody.get(&file.replace("./", "/docs/")).await.body.len() > 100, "{file}");
    }
    let codes = nobody.get("/docs/codes").await;
    assert!(ProblemCode::ALL.iter().all(|code| codes.body.contains(code.advice())));
    for mention in document_text(Edition::V31).split("](/docs/").skip(1) {
        let page = format!("/docs/{}", mention.split(')').next().unwrap());
        let found = nobody.get(&page).await;
        let is_whole = found.body.contains("</html>") || page.ends_with(".json");
        assert!(found.status == 200 && is_whole, "{page}");
    }
    assert!(nobody.get("/docs/rules.md").await.body.starts_with("# "));
    let served = nobody.get("/openapi.json").await;
    for path in ["/healthz", "/readyz"] {
        assert_eq!(nobody.get(path).await.expect(200)["status"], "ok");
    }
    assert_eq!(served.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(app.url("/x"), format!("http://{}/x", app.address));
}

/// A tool that has loaded the document from a file knows where the service is.
#[tokio::test(flavor = "multi_thread")]
async fn the_document_names_the_public_address() {
    let url = "https://yaniv.example";
    let app = TestApp::start_with(|options| options.public_url = Some(url.to_owned())).await;
    let nobody = Player::anonymous(app.address);
    for path in ["/openapi.json", "/openapi-3.0.json"] {
        let document = nobody.get(path).await.expect(200);
        assert_eq!(document["servers"][0]["url"], url, "{path}");
        let tags = document["tags"].as_array().unwrap();
        let events = tags.iter().find(|tag| tag["name"] == "events").unwrap();
        assert_eq!(events["externalDocs"]["url"], format!("{url}/docs/events"));
    }
}

/// The examples are what the service answers, word for word.
#[tokio::test(flavor = "multi_thread")]
async fn examples_of_problems_are_those_that_the_service_sends() {
    let app = TestApp::start().await;
    let (nobody, ada) = (Player::anonymous(app.address), app.player("ada").await);
    let document = yaniv_contract::resolved(&openapi::document());
    let unknown = "/v1/matches/0193aa00-0000-7000-8000-000000000001";
    let example = |path: &str, method: &str, status: u16| {
        let answer = &document["paths"][path][method]["responses"][status.to_string()];
        answer["content"]["application/problem+json"]["example"].clone()
    };
    let matches = "/v1/matches";
    let bad = ada.post(matches, None, &json!({"size": 99})).await;
    assert_eq!(bad.expect(422), example(matches, "post", 422));
    assert_eq!(nobody.get("/v1/account").await.expect(401), example("/v1/account", "get", 401));
    let bad = ada.get("/v1/matches?limit=101").await;
    assert_eq!(bad.expect(422), example(matches, "get", 422));
    assert_eq!(ada.get(unknown).await.expect(404), example("/v1/matches/{match_id}", "get", 404));
    let broken = ada.request(reqwest::Method::POST, matches, &[], Some(b"{\"size\":".to_vec())).await;
    assert_eq!(broken.expect(400), example(matches, "post", 400));
    for (_, operation) in operations(&document) {
        for (status, answer) in operation["responses"].as_object().unwrap() {
            let content = &answer["content"]["application/problem+json"];
            if let Some(codes) = answer["x-problem-codes"].as_array() {
                assert_eq!(content["example"]["status"].to_string(), *status);
                assert!(codes.contains(&content["example"]["code"]));
            }
        }
    }
}

/// Bytes of a document, as sent to a client that accepts gzip, and to one that does not.
#[tokio::test(flavor = "multi_thread")]
async fn the_documents_are_small_and_sent_once() {
    let app = TestApp::start().await;
    let client = reqwest::Client::new();
    for path in ["/openapi.json", "/openapi-3.0.json"] {
        let get = |coding: &str, tag: &str| {
            let request = client.get(app.url(path)).header("accept-encoding", coding);
            request.header("if-none-match", tag.to_owned()).send()
        };
        let plain = get("identity", "").await.unwrap();
        let tag = plain.headers()["etag"].to_str().unwrap().to_owned();
        let plain = plain.bytes().await.unwrap().len();
        assert!(plain <= 545_000, "{path}: {plain} bytes");
        let gzip = get("gzip", "").await.unwrap();
        assert_eq!(gzip.headers()["content-encoding"], "gzip");
        assert_eq!(gzip.headers()["etag"], tag.as_str());
        let gzip = gzip.bytes().await.unwrap().len();
        assert!(gzip <= 80_000, "{path}: {gzip} bytes in gzip");
        for coding in ["gzip", "identity"] {
            let known = get(coding, &tag).await.unwrap();
            assert_eq!(known.status(), 304, "{path}");
            assert_eq!(known.bytes().await.unwrap().len(), 0);
        }
    }
}
