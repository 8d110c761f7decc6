//! A client that knows the API and nothing else: one connection, the views that come over it, and a choice among the
//! actions that a view offers.

mod choice;
mod line;
mod view;

pub use choice::{Random, Wish, choose};
pub use line::{Answer, Line, Lost, Request};
pub use view::{Draw, Hand, Legal, Seat, Table, View};
