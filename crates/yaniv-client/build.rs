//! Generates the client from the committed OpenAPI document at build time.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use openapiv3::OpenAPI;
use progenitor_impl::{GenerationSettings, Generator};

/// The document in the version that progenitor reads, relative to this crate.
const DOCUMENT: &str = "../../openapi/yaniv-3.0.json";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={DOCUMENT}");
    let document: OpenAPI = serde_json::from_str(&fs::read_to_string(DOCUMENT)?)?;
    let mut settings = GenerationSettings::new();
    settings
        .with_inner_type("crate::headers::Headers".parse()?)
        .with_pre_hook("crate::headers::add".parse()?);
    let code = Generator::new(&settings).generate_tokens(&document)?;
    let directory = env::var_os("OUT_DIR").map(PathBuf::from).ok_or("cargo sets OUT_DIR")?;
    fs::write(directory.join("client.rs"), code.to_string())?;
    Ok(())
}
