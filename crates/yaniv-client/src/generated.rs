//! The client that progenitor generates from the OpenAPI document in the build script; no handwritten code.

include!(concat!(env!("OUT_DIR"), "/client.rs"));
