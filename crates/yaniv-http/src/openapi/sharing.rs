//! Moves what repeats in the document to its components, and refers to it: responses, headers, parameters, examples.
//!
//! `names` has their names. If different values would have one name, the most frequent is the component, and the others
//! stay where they are.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::openapi::names::{Sort, example_name, parameter_name, pascal_case, response_name};
use crate::openapi::{members, operations};

/// Callback for each place that could refer to a component: its name and value.
type Each<'a> = &'a mut dyn FnMut(String, &mut Value);

/// A kind of component.
struct Kind {
    /// Its section of `components`.
    section: &'static str,
    /// Visits each place that could refer to one.
    visit: fn(&mut Value, Each<'_>),
    /// The component with this value.
    component: fn(Value) -> Value,
}

/// In this order: a shared response refers to shared headers and examples.
const KINDS: [Kind; 4] = [
    Kind { section: "responses", visit: visit_responses, component: |response| response },
    Kind { section: "headers", visit: visit_headers, component: |header| header },
    Kind { section: "parameters", visit: visit_parameters, component: |parameter| parameter },
    Kind { section: "examples", visit: visit_examples, component: |value| json!({"value": value}) },
];

/// Shares what repeats.
pub(crate) fn share(document: &mut Value) {
    for kind in KINDS {
        let shared = kind.repeated(document);
        kind.refer(document, &shared);
        let components = document.get_mut("components").and_then(Value::as_object_mut);
        let section = shared.into_iter().map(|(name, value)| (name, (kind.component)(value)));
        let section: Map<String, Value> = section.collect();
        if let Some(components) = components
            && !section.is_empty()
        {
            components.insert(kind.section.to_owned(), Value::Object(section));
        }
    }
}

impl Kind {
    /// What occurs more than once: for each name the most frequent value, the first of equally frequent ones.
    fn repeated(&self, document: &mut Value) -> BTreeMap<String, Value> {
        let mut counts: BTreeMap<String, Vec<(Value, usize)>> = BTreeMap::new();
        (self.visit)(document, &mut |name, value| {
            let values = counts.entry(name).or_default();
            match values.iter_mut().find(|(known, _)| known == value) {
                Some((_, count)) => *count += 1,
                None => values.push((value.clone(), 1)),
            }
        });
        let most = |values: Vec<(Value, usize)>| values.into_iter().rev().max_by_key(|(_, count)| *count);
        let most = counts.into_iter().filter_map(|(name, values)| Some((name, most(values)?)));
        most.filter(|(_, (_, count))| *count > 1).map(|(name, (value, _))| (name, value)).collect()
    }

    fn refer(&self, document: &mut Value, shared: &BTreeMap<String, Value>) {
        (self.visit)(document, &mut |name, value| {
            if shared.get(&name) == Some(value) {
                *value = json!({"$ref": format!("#/components/{}/{name}", self.section)});
            }
        });
    }
}

/// All but the successful ones, which differ in each operation.
fn visit_responses(document: &mut Value, each: Each<'_>) {
    for (method, operation) in operations(document) {
        let sort = Sort::of(method, operation);
        for (status, response) in
            members(operation, "responses").filter(|(status, _)| !status.starts_with('2'))
        {
            if let Some(name) = response_name(status, &sort) {
                each(name, response);
            }
        }
    }
}

fn visit_headers(document: &mut Value, each: Each<'_>) {
    each_response(document, &mut |response| {
        for (name, header) in members(response, "headers") {
            each(pascal_case(name), header);
        }
    });
}

fn visit_parameters(document: &mut Value, each: Each<'_>) {
    for (_, operation) in operations(document) {
        let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            if let Some(name) = parameter_name(parameter) {
                each(name, parameter);
            }
        }
    }
}

/// Those of responses; those of requests are small.
fn visit_examples(document: &mut Value, each: Each<'_>) {
    each_response(document, &mut |response| visit_content(response, each));
}

fn visit_content(response: &mut Value, each: Each<'_>) {
    for (_, media_type) in members(response, "content") {
        let Some(name) = example_name(media_type) else { continue };
        let Some(media_type) = media_type.as_object_mut() else { continue };
        let Some(mut example) = media_type.remove("example") else { continue };
        each(name.clone(), &mut example);
        // `example` is a value; only the members of `examples` may be references.
        if example.get("$ref").is_some() {
            media_type.insert("examples".to_owned(), json!({name: example}));
        } else {
            media_type.insert("example".to_owned(), example);
        }
    }
}

/// The responses of operations, and the shared ones.
fn each_response(document: &mut Value, each: &mut dyn FnMut(&mut Value)) {
    for (_, operation) in operations(document) {
        members(operation, "responses").for_each(|(_, response)| each(response));
    }
    if let Some(components) = document.get_mut("components") {
        members(components, "responses").for_each(|(_, response)| each(response));
    }
}
