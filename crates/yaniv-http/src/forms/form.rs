//! A schema as a check that finds every misfit of a value, not only the first.
//!
//! It knows what schemas of requests use: objects without other fields, lists, texts, whole numbers, booleans, named
//! schemas.

use std::collections::HashMap;

use regex::Regex;
use serde_json::{Map, Value};

use crate::forms::words;

/// Longest name of a misfit, as `ProblemField` documents it.
const LONGEST_NAME: usize = 200;

/// A part of a request that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Path in the body, or name of the parameter.
    pub(crate) name: String,
    /// What the part must be, as the predicate of a sentence.
    pub(crate) detail: String,
    /// Whether the part has another structure: a null, or another value where an object is required. `serde` accepts
    /// both.
    pub(crate) is_structure: bool,
}

/// A schema with the schemas that it names.
pub(crate) struct Form {
    root: Value,
    named: Map<String, Value>,
    patterns: HashMap<String, Regex>,
    /// Whether a named schema is that of an object.
    pub(crate) has_inner_objects: bool,
    /// Whether an empty object fits.
    pub(crate) all_optional: bool,
}

impl Form {
    /// A form of a schema and those that it refers to by name.
    pub(crate) fn new(root: Value, named: Map<String, Value>) -> Self {
        let mut patterns = HashMap::new();
        std::iter::once(&root).chain(named.values()).for_each(|schema| compile(schema, &mut patterns));
        let is_object = |schema: &Value| schema.get("type").is_some_and(|kind| kind == "object");
        let has_inner_objects = named.values().any(is_object);
        let required = root.get("required").and_then(Value::as_array);
        let all_optional = is_object(&root) && required.is_none_or(Vec::is_empty);
        Self { root, named, patterns, has_inner_objects, all_optional }
    }

    /// Every part of the value that does not fit; `whole` is the name of the value itself.
    pub(crate) fn misfits(&self, value: &Value, whole: &str) -> Vec<Misfit> {
        let mut check = Check { form: self, whole, found: Vec::new() };
        check.value(&self.root, value, "");
        check.found
    }

    fn resolved<'a>(&'a self, schema: &'a Value) -> &'a Value {
        let name = schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next());
        name.and_then(|name| self.named.get(name)).unwrap_or(schema)
    }
}

impl Misfit {
    pub(crate) fn new(name: &str, detail: impl Into<String>) -> Self {
        let name = name.chars().take(LONGEST_NAME).collect();
        Self { name, detail: detail.into(), is_structure: false }
    }
}

/// Collects the regular expressions of a schema.
fn compile(schema: &Value, patterns: &mut HashMap<String, Regex>) {
    match schema {
        Value::Object(members) => {
            if let Some(pattern) = members.get("pattern").and_then(Value::as_str)
                && let Ok(regex) = Regex::new(pattern)
            {
                patterns.insert(pattern.to_owned(), regex);
            }
            members.values().for_each(|member| compile(member, patterns));
        }
        Value::Array(items) => items.iter().for_each(|item| compile(item, patterns)),
        _ => {}
    }
}

struct Check<'a> {
    form: &'a Form,
    whole: &'a str,
    found: Vec<Misfit>,
}

impl Check<'_> {
    fn value(&mut self, schema: &Value, value: &Value, path: &str) {
        let schema = self.form.resolved(schema);
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => self.object(schema, value, path),
            Some("array") => self.array(schema, value, path),
            Some("string") => {
                let fits = value.as_str().is_some_and(|text| self.is_text(schema, text));
                self.require(fits, path, || words::text(schema));
            }
            Some("integer") => {
                let (least, most) = words::bounds(schema);
                let fits = value.as_i64().is_some_and(|number| (least..=most).contains(&number));
                self.require(fits, path, || words::whole_number(least, most));
            }
            Some("boolean") => self.require(value.is_boolean(), path, || words::BOOLEAN.to_owned()),
            _ => {}
        }
    }

    fn object(&mut self, schema: &Value, value: &Value, path: &str) {
        let Some(fields) = value.as_object() else {
            return self.structure(path, words::OBJECT);
        };
        let none = Map::new();
        let known = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required: Vec<&str> = required.filter_map(Value::as_str).collect();
        for name in required.iter().filter(|name| !fields.contains_key(**name)) {
            self.found.push(Misfit::new(&below(path, name), words::MISSING));
        }
        // Of what browsers make, members that are not known here are ignored.
        let is_open = schema.get("additionalProperties") != Some(&Value::Bool(false));
        for (name, field) in fields {
            let path = below(path, name);
            match known.get(name) {
                None if is_open => {}
                None => self.found.push(Misfit::new(&path, words::unknown_field(known.keys()))),
                Some(_) if field.is_null() => {
                    let is_required = required.contains(&name.as_str());
                    self.structure(&path, if is_required { words::NULL } else { words::OPTIONAL_NULL });
                }
                Some(schema) => self.value(schema, field, &path),
            }
        }
    }

    fn array(&mut self, schema: &Value, value: &Value, path: &str) {
        let Some(items) = value.as_array() else {
            return self.require(false, path, || words::LIST.to_owned());
        };
        let fits = words::lengths(schema, "Items").contains(&count(items.len()));
        self.require(fits, path, || words::list(schema));
        let Some(of) = schema.get("items") else { return };
        for (index, item) in items.iter().enumerate() {
            self.value(of, item, &format!("{path}[{index}]"));
        }
    }

    fn is_text(&self, schema: &Value, text: &str) -> bool {
        let member = |name| schema.get(name).and_then(Value::as_str);
        let listed = schema.get("enum").and_then(Value::as_array);
        listed.is_none_or(|words| words.iter().any(|word| word == text))
            && member("pattern")
                .and_then(|pattern| self.form.patterns.get(pattern))
                .is_none_or(|pattern| pattern.is_match(text))
            && words::lengths(schema, "Length").contains(&count(text.chars().count()))
            && words::has_format(member("format").unwrap_or_default(), text)
    }

    fn require(&mut self, fits: bool, path: &str, detail: impl FnOnce() -> String) {
        if !fits {
            let name = if path.is_empty() { self.whole } else { path };
            self.found.push(Misfit::new(name, detail()));
        }
    }

    fn structure(&mut self, path: &str, detail: &str) {
        let name = if path.is_empty() { self.whole } else { path };
        self.found.push(Misfit { is_structure: true, ..Misfit::new(name, detail) });
    }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}
