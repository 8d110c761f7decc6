//! The user that the server runs as, and processes of that user. PostgreSQL refuses to run as root.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Doing, Error};

/// A user account of this machine.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) uid: u32,
    gid: u32,
    /// Whether we are root and switch to this user; otherwise it is the current user.
    switch: bool,
}

impl Account {
    /// The current user; for root the user `postgres`, else `nobody`.
    pub(crate) fn for_server() -> Result<Self, Error> {
        let uid = rustix::process::geteuid();
        if !uid.is_root() {
            let gid = rustix::process::getegid().as_raw();
            return Ok(Self { name: uid.as_raw().to_string(), uid: uid.as_raw(), gid, switch: false });
        }
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        ["postgres", "nobody"].iter().find_map(|name| look_up(&passwd, name)).ok_or(Error::NoAccount)
    }

    /// The owner of existing data, if we are root; else this user.
    pub(crate) fn or_owner_of(&self, dir: &Path) -> Self {
        match fs::metadata(dir) {
            Ok(found) if self.switch && found.uid() != 0 => {
                Self { name: found.uid().to_string(), uid: found.uid(), gid: found.gid(), switch: true }
            }
            _ => self.clone(),
        }
    }

    /// A command that runs as this user in `dir` and inherits only the environment.
    pub(crate) fn command(&self, program: &Path, dir: &Path) -> Command {
        let mut command = Command::new(program);
        // The current directory may be closed to the other user, and PostgreSQL's programs determine their working
        // directory.
        command.current_dir(dir).stdin(Stdio::null()).env("LC_ALL", "C");
        for (name, _) in std::env::vars_os().filter(|(name, _)| is_setting_of_postgres(name)) {
            command.env_remove(name);
        }
        if self.switch {
            command.uid(self.uid).gid(self.gid);
        }
        command
    }

    /// Transfers ownership of a file or directory to this user.
    pub(crate) fn give(&self, path: &Path) -> Result<(), Error> {
        if !self.switch {
            return Ok(());
        }
        chown(path, Some(self.uid), Some(self.gid))
            .doing(|| format!("give {} to the user {}", path.display(), self.name))
    }

    /// Whether this user can reach `dir` (a path without symbolic links) through its parent directories.
    pub(crate) fn check_reach(&self, dir: &Path) -> Result<(), Error> {
        if !self.switch {
            return Ok(());
        }
        let closed = dir.ancestors().find(|ancestor| self.may_enter(ancestor).is_ok_and(|may| !may));
        closed.map_or(Ok(()), |at| {
            Err(Error::Unreachable { user: self.name.clone(), dir: dir.to_path_buf(), at: at.to_path_buf() })
        })
    }

    fn may_enter(&self, dir: &Path) -> io::Result<bool> {
        let metadata = fs::metadata(dir)?;
        let bit = match () {
            () if metadata.uid() == self.uid => 0o100,
            () if metadata.gid() == self.gid => 0o010,
            () => 0o001,
        };
        Ok(metadata.mode() & bit != 0)
    }
}

fn look_up(passwd: &str, name: &str) -> Option<Account> {
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        if fields.next() != Some(name) {
            return None;
        }
        let uid = fields.nth(1)?.parse().ok()?;
        let gid = fields.next()?.parse().ok()?;
        Some(Account { name: name.to_owned(), uid, gid, switch: true })
    })
}

/// `PGDATA`, `PGPORT` and the like refer to another server.
fn is_setting_of_postgres(name: &OsString) -> bool {
    name.to_string_lossy().starts_with("PG")
}

#[cfg(test)]
mod tests {
    use super::look_up;

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let passwd = "postgresql:x:7:8::/:/bin/sh\npostgres:x:101:104:PostgreSQL,,,:/var/lib:/bin/bash\n";

        let account = look_up(passwd, "postgres").unwrap();

        assert_eq!((account.uid, account.gid), (101, 104));
        assert!(look_up(passwd, "nobody").is_none());
    }
}
