//! The tests of this crate against real servers, in one program.

#[cfg(test)]
mod cluster;
#[cfg(test)]
mod fault;
#[cfg(test)]
mod support;
#[cfg(test)]
mod test_database;
