//! A client that knows only the API: a connection, parsed views, and a choice among the actions that a view offers.

mod choice;
mod line;
mod view;

pub use choice::{Random, Wish, choose};
pub use line::{Answer, Line, Lost, Request};
pub use view::{Draw, Hand, Legal, Seat, Table, View};
