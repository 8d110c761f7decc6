//! The clocks: a table of examples, and a simulated year against a reference that counts minutes.

