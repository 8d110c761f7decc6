//! Classification of IP addresses: public, or possibly internal (the operator's network, this machine, a
//! cloud).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Non-public IPv4 networks (IANA special-purpose registry), and networks that lead to them.
const INSIDE: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Azure's host addresses, as seen from its virtual machines.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Public IPv6: the one allocated block, minus its special parts.
const GLOBAL: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
const INSIDE_6: [(Ipv6Addr, u32); 4] = [
    // Teredo, benchmarks, identifiers.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0x0db8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4, which embeds IPv4 addresses.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address is publicly reachable.
///
/// IPv6 forms that embed an IPv4 address (mapped, compatible, translated) lie outside the public block and
/// are refused in any case.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !INSIDE.iter().any(|&(network, length)| within_4(address, network, length)),
        IpAddr::V6(address) => {
            within_6(address, GLOBAL.0, GLOBAL.1)
                && !INSIDE_6.iter().any(|&(network, length)| within_6(address, network, length))
        }
    }
}

fn within_4(address: Ipv4Addr, network: Ipv4Addr, length: u32) -> bool {
    let mask = u32::MAX.checked_shl(32_u32.saturating_sub(length)).unwrap_or(0);
    (address.to_bits() ^ network.to_bits()) & mask == 0
}

fn within_6(address: Ipv6Addr, network: Ipv6Addr, length: u32) -> bool {
    let mask = u128::MAX.checked_shl(128_u32.saturating_sub(length)).unwrap_or(0);
    (address.to_bits() ^ network.to_bits()) & mask == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_inside_networks_are_told_from_those_outside() {
        let inside = "0.0.0.0 0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.8 192.0.2.1 192.88.99.1 192.168.1.1 \
             198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9 168.63.129.16 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 :: ::1 ::7f00:1 ::ffff:127.0.0.1 \
             ::ffff:10.0.0.1 ::ffff:8.8.8.8 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1 2002:7f00:1:: 2002:a00:1::1 3fff::1 5f00::1 fc00::1 fd12:3456:789a::1 fe80::1 fec0::1 ff02::1";
        for text in inside.split_whitespace() {
            assert!(!is_public(text.parse().unwrap()), "{text} is inside");
        }
        let outside = [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "9.255.255.255",
        ];
        for text in
            outside.into_iter().chain(["2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888"])
        {
            assert!(is_public(text.parse().unwrap()), "{text} is outside");
        }
    }
}
