//! `docs/operations/backups.md`, typed: dumps, archived WAL, the return to a point in time, and what clients see then.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use local_postgres::not_installed;
use serde_json::{Value, json};

use crate::VARIABLES;
use crate::client::{Client, action, play_once};
use crate::documents::block;
use crate::program::Program;
use crate::release::connect;

const PAGE: &str = "docs/operations/backups.md";

/// A PostgreSQL that is set up as an operator does it; stopped and removed on drop.
struct Server {
    home: PathBuf,
    port: u16,
    programs: PathBuf,
    /// Whether we are root, and the server runs as another user.
    root: bool,
}

impl Server {
    fn create(programs: PathBuf) -> Self {
        let home = PathBuf::from(format!("/tmp/yaniv-recovery-{}", std::process::id()));
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(home.join("bin")).unwrap();
        fs::create_dir_all(home.join("backups")).unwrap();
        // The other user cannot enter every directory that has a build.
        fs::copy(env!("CARGO_BIN_EXE_yaniv"), home.join("bin/yaniv")).unwrap();
        fs::set_permissions(home.join("bin/yaniv"), fs::Permissions::from_mode(0o755)).unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let root = is_root();
        if root {
            assert!(Command::new("chown").arg("-R").arg("postgres").arg(&home).status().unwrap().success());
        }
        let server = Self { home, port, programs, root };
        server.type_(
            "initdb --username=yaniv --encoding=UTF8 --locale=C --auth=trust >/dev/null\n\
             echo \"port = $PORT\" >>\"$PGDATA/postgresql.conf\"\n\
             echo \"unix_socket_directories = '$HOME'\" >>\"$PGDATA/postgresql.conf\"\n\
             pg_ctl start --wait --log=\"$HOME/server.log\"\n\
             createdb --maintenance-db=postgres://yaniv@127.0.0.1:$PORT/postgres yaniv",
            &[],
        );
        server
    }

    fn url(&self) -> String {
        format!("postgres://yaniv@127.0.0.1:{}/yaniv", self.port)
    }

    fn shell(&self, script: &str, variables: &[(&str, &str)], output: &Path) -> Command {
        let mut command = Command::new(if self.root { "runuser" } else { "env" });
        if self.root {
            command.args(["-u", "postgres", "--"]);
        }
        command.args(["sh", "-euc", script]).current_dir(&self.home).env_clear().stdin(Stdio::null());
        let path = format!(
            "{}:{}:/usr/bin:/bin:/usr/sbin:/sbin",
            self.home.join("bin").display(),
            self.programs.display()
        );
        command.env("PATH", path).env("HOME", &self.home).env("PORT", self.port.to_string());
        command.env("PGDATA", self.home.join("data")).env("BACKUPS", self.home.join("backups"));
        command.env("DATABASE_URL", self.url()).envs(variables.iter().copied());
        let file = File::create(output).unwrap();
        command.stdout(file.try_clone().unwrap()).stderr(file);
        command
    }

    /// Types commands, as the user of the server.
    fn type_(&self, script: &str, variables: &[(&str, &str)]) {
        // To a file: the server, which inherits a pipe, would keep it open.
        let output = self.home.join("output");
        let status = self.shell(script, variables, &output).status().unwrap();
        assert!(status.success(), "{script}\n{}", fs::read_to_string(output).unwrap());
    }

    /// Types a block of the page.
    fn typed(&self, name: &str, variables: &[(&str, &str)]) {
        self.type_(&block(PAGE, name), variables);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.shell("pg_ctl stop --mode=immediate", &[], &self.home.join("output")).status();
        let _ = fs::remove_dir_all(&self.home);
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().unwrap().stdout == b"0\n"
}

/// What a client has seen that is lost by the return.
struct Seen {
    view: Value,
    tag: String,
    cursor: String,
    /// An action whose answer came: its player, key, path and body.
    action: (usize, String, String, Value),
    refresh_token: String,
    newcomer: Client,
}

/// Plays on, and keeps what clients keep.
async fn see(players: &[Client], refresh_token: &str, match_id: &str, address: &str) -> Seen {
    let (number, path, body) = action(players, match_id).await.unwrap();
    let key = "recovery-00000001".to_owned();
    assert_eq!(players[number].post_with_key(&path, &key, &body).await.0, 200);
    for _ in 0..5 {
        play_once(players, match_id).await;
    }
    let (view, tag) = players[0].tagged(&format!("/v1/matches/{match_id}")).await;
    let (status, feed) = players[0].get("/v1/events?limit=100").await;
    assert_eq!(status, 200, "{feed}");
    let (status, session) = Client::refresh(address, refresh_token).await;
    assert_eq!(status, 200, "{session}");
    // With its use the token before it has ended.
    let again = Client::with_token(address, session["access_token"].as_str().unwrap());
    assert_eq!(again.get("/v1/account").await.0, 200);
    Seen {
        view,
        tag: tag.unwrap(),
        cursor: feed["cursor"].as_str().unwrap().to_owned(),
        action: (number, key, path, body),
        refresh_token: session["refresh_token"].as_str().unwrap().to_owned(),
        newcomer: Client::register(address, "newcomer", "correct horse").await,
    }
}

/// What the page says about clients that have seen more.
async fn clients_get_clear_answers(players: &[Client], seen: &Seen, before: &Value, address: &str) {
    let match_id = before["match_id"].as_str().unwrap();
    let path = format!("/v1/matches/{match_id}");
    let lost = seen.view["version"].as_i64().unwrap();
    let (status, now) = players[0].get_with_tag(&path, &seen.tag).await;
    assert_eq!((status, &now["version"]), (200, &before["version"]));

    let body = json!({"expected_version": lost, "cards": ["2C"], "draw_from": "stock"});
    let (status, refused) = players[0].post(&format!("{path}/plays"), &body).await;
    assert_eq!((status, &refused["code"]), (409, &json!("version_conflict")), "{refused}");
    assert_eq!(refused["match"]["version"], before["version"], "{refused}");

    let (status, events) = players[0].get(&format!("{path}/events?after={lost}&wait=20")).await;
    assert_eq!((status, &events["version"], &events["items"]), (200, &before["version"], &json!([])));

    assert_eq!(seen.newcomer.at(address).get("/v1/account").await.0, 401);

    // Sent again, the lost action is done, once.
    let (player, key, action_path, body) = &seen.action;
    for _ in 0..2 {
        let (status, done) = players[*player].post_with_key(action_path, key, body).await;
        assert_eq!(status, 200, "{done}");
    }
    let version = players[0].view(match_id).await["version"].as_i64().unwrap();
    assert_eq!(version, before["version"].as_i64().unwrap() + 1);

    // What happens now is an event for those who have seen a higher version, too.
    let (_, feed) = players[0].get(&format!("/v1/events?after={}&wait=5", seen.cursor)).await;
    let last = feed["items"].as_array().unwrap().last().map(|one| &one["version"]);
    assert_eq!(last, Some(&json!(version)), "{feed}");

    // The same version again is another match.
    while players[0].view(match_id).await["version"].as_i64().unwrap() < lost {
        play_once(players, match_id).await;
    }
    assert_eq!(players[0].get_with_tag(&path, &seen.tag).await.0, 200);

    let (status, refused) = Client::refresh(address, &seen.refresh_token).await;
    assert_eq!((status, &refused["code"]), (401, &json!("refresh_token_reused")), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn backups_are_made_and_restored_as_it_is_written() {
    let programs = local_postgres::find().unwrap().dir().to_owned();
    for program in ["psql", "pg_dump", "pg_basebackup", "pg_verifybackup"] {
        if !programs.join(program).is_file() {
            not_installed(PAGE, program).unwrap();
            return;
        }
    }
    let server = tokio::task::block_in_place(|| Server::create(programs));
    server.typed("archive", &[]);
    let program = Program::start(&server.url(), &VARIABLES);
    let (ada, refresh_token) = Client::new_player(program.address(), "ada").await;
    let bob = Client::register(program.address(), "bob", "correct horse").await;
    let players = [ada, bob];
    let match_id = crate::client::start_match(&players).await;
    for _ in 0..4 {
        play_once(&players, &match_id).await;
    }
    server.typed("dump", &[]);
    server.typed("base-backup", &[]);
    for _ in 0..4 {
        play_once(&players, &match_id).await;
    }
    let before = players[0].view(&match_id).await;
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let time = connect(&server.url()).await.query_one("SELECT clock_timestamp()::text", &[]).await.unwrap();
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    let seen = see(&players, &refresh_token, &match_id, program.address()).await;
    drop(program);

    server.typed("last-segment", &[]);
    server.typed("return", &[("RETURN_TO", time.get(0))]);
    server.typed("check", &[]);
    let program = Program::start(&server.url(), &VARIABLES);
    let players = players.map(|player| player.at(program.address()));
    clients_get_clear_answers(&players, &seen, &before, program.address()).await;
    server.typed("check", &[]);
    assert_eq!(players[1].get("/v1/account").await.0, 200);
    server.typed("end-sessions", &[]);
    let ended = async || players[1].get("/v1/account").await.0 == 401;
    assert!(crate::client::until(ended).await);
    server.typed("restore-dump", &[]);
}
