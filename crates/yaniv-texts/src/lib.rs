//! Texts of notifications in the languages of the players.
//!
//! The texts are in `texts`, a file for each language, in the format of Fluent: translators edit them without code. They
//! are part of the program. Which notification is sent, and its data for programs, is in `yaniv-app`.

pub mod language;
pub mod message;
mod render;

pub use crate::language::Language;
pub use crate::message::{Facts, Message};
pub use crate::render::{
    EmailLine, Text, UnsubscribeTexts, deadline, email_line, isolated, render, unsubscribe_texts,
};
