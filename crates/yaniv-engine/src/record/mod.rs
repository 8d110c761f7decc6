//! Records of matches: building, reading, writing, verifying.

pub(crate) mod builder;
pub(crate) mod document;
pub(crate) mod positions;
pub(crate) mod scan;
pub(crate) mod text_read;
pub(crate) mod text_write;
pub(crate) mod time;
pub(crate) mod verify;
