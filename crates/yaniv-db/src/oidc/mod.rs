//! Identities at an OpenID Connect provider: columns of `accounts`.

pub mod identities;
