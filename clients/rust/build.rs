//! Generates the client from the committed OpenAPI document, in the edition that progenitor reads.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use progenitor_impl::{GenerationSettings, Generator};

fn main() -> Result<(), Box<dyn Error>> {
    let document = env::var("YANIV_DOCUMENT").unwrap_or_else(|_| "../../openapi/yaniv-3.0.json".to_owned());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=YANIV_DOCUMENT");
    println!("cargo::rerun-if-changed={document}");
    let document = serde_json::from_str(&fs::read_to_string(document)?)?;
    let code = Generator::new(&GenerationSettings::new()).generate_tokens(&document)?;
    let directory = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(directory.join("client.rs"), code.to_string())?;
    Ok(())
}
