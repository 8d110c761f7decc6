//! Authorization codes of OAuth. The tokens are personal tokens (`accounts::tokens`).

pub mod authorization_codes;
