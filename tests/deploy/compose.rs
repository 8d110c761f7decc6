//! The lines at the head of docker-compose.yml: they make secrets that only their owner and the containers can read.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::directory;

/// The commands of the header.
fn header() -> String {
    let file = std::fs::read_to_string("docker-compose.yml").unwrap();
    let commands: Vec<_> = file.lines().filter_map(|line| line.strip_prefix("#   ")).collect();
    assert_eq!(commands.len(), 5, "{commands:?}");
    commands.join("\n")
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn nobody_else_can_enter_the_directory_of_the_secrets_whose_files_containers_can_read() {
    // As of a usual shell, of a careful one, and with a directory made by an earlier release.
    for (name, before) in
        [("usual", "umask 022"), ("careful", "umask 077"), ("again", "umask 022; mkdir secrets")]
    {
        let home = directory(&format!("compose-{name}"));
        let script = format!("set -e; {before}\n{}", header());
        let status = Command::new("sh").args(["-c", &script]).current_dir(&home).status().unwrap();
        assert!(status.success(), "{name}");
        let secrets = home.join("secrets");
        assert_eq!(mode(&secrets), 0o700, "{name}");
        let mut lengths = Vec::new();
        for file in ["database_password", "token_secret", "database_url"] {
            let path = secrets.join(file);
            // A container gets each file by itself, and reads it as its own user.
            assert_eq!(mode(&path), 0o644, "{name}: {file}");
            lengths.push(std::fs::read(&path).unwrap().len());
        }
        assert_eq!(lengths, [48, 64, "postgres://yaniv:@database/yaniv".len() + 48], "{name}");
    }
}
