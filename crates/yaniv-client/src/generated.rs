//! The client as the build script has progenitor make it of the OpenAPI document; nothing here is written by hand.

include!(concat!(env!("OUT_DIR"), "/client.rs"));
