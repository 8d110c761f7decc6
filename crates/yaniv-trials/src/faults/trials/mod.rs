//! The trials, one file each. A new one is a file here and a line in [`ALL`].

mod overdue;
mod p1;
mod p10;
mod p11;
mod p12;
mod p14;
mod p15;
mod p2;
mod p24;
mod p25;
mod p26;
mod p27;
mod p3;
mod p4;
mod p5;
mod p6;
mod p7;
mod p8;
mod p9;
mod pages;
mod pairing;
mod upgrade;

use super::trial::Trial;

/// All trials, in the order in which they are run.
pub const ALL: &[Trial] = &[
    p1::TRIAL,
    p2::TRIAL,
    p3::TRIAL,
    p4::TRIAL,
    p5::TRIAL,
    p6::TRIAL,
    p7::TRIAL,
    p8::TRIAL,
    p9::TRIAL,
    p10::TRIAL,
    p11::TRIAL,
    p12::TRIAL,
    p14::TRIAL,
    p15::TRIAL,
    p24::TRIAL,
    p25::TRIAL,
    p26::TRIAL,
    p27::TRIAL,
    pairing::TRIAL,
    pages::TRIAL,
    overdue::TRIAL,
    upgrade::TRIAL,
];
