//! Generates the client from the committed OpenAPI document at build time.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use openapiv3::OpenAPI;
use progenitor_impl::{GenerationSettings, Generator};
use serde_json::{Value, json};

/// The document in the version that progenitor reads, relative to this crate.
const DOCUMENT: &str = "../../openapi/yaniv-3.0.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={DOCUMENT}");
    let mut document: Value = serde_json::from_str(&fs::read_to_string(DOCUMENT)?)?;
    set_defaults(&mut document);
    let document: OpenAPI = serde_json::from_value(document)?;
    let mut settings = GenerationSettings::new();
    settings
        .with_inner_type("crate::headers::Headers".parse()?)
        .with_pre_hook("crate::headers::add".parse()?);
    let code = Generator::new(&settings).generate_tokens(&document)?;
    let directory = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("cargo sets OUT_DIR")?;
    fs::write(directory.join("client.rs"), code.to_string())?;
    Ok(())
}

/// Marks and counters that answers leave out at their usual value get it as their default: `bool`, not `Option<bool>`.
fn set_defaults(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for schema in schemas.into_iter().flat_map(|schemas| schemas.values_mut()) {
        let fields = schema.get_mut("properties").and_then(Value::as_object_mut);
        for field in fields.into_iter().flat_map(|fields| fields.values_mut()) {
            let description = field.get("description").and_then(Value::as_str).unwrap_or_default();
            let usual = [("Absent: false.", json!(false)), ("Absent: 0.", json!(0))];
            let default = usual.into_iter().find(|(said, _)| description.ends_with(said));
            if let (Some((_, default)), Some(field)) = (default, field.as_object_mut()) {
                field.insert("default".to_owned(), default);
            }
        }
    }
}
