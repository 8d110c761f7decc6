//! Sessions of `yaniv play` persist: for weeks, on bad networks, in two terminals; until log-out.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};

use super::lossy::Lossy;
use super::support::{PASSWORD, SHORT, Scratch, Service, Terminal};

/// The stored log-in that was used last.
fn remembered(home: &Scratch) -> Value {
    let text = std::fs::read_to_string(home.memory()).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()["log_ins"][0].clone()
}

/// Expires the stored access token: visibly, or so that only the service refuses it.
fn spoil(home: &Scratch, shown: bool) {
    let mut memory: Value = serde_json::from_str(&std::fs::read_to_string(home.memory()).unwrap()).unwrap();
    let tokens = &mut memory["log_ins"][0]["tokens"];
    tokens["access_token"] = json!("no-token");
    tokens["expires_at"] = json!(if shown { "2026-01-01T00:00:00Z" } else { "2126-01-01T00:00:00Z" });
    std::fs::write(home.memory(), memory.to_string()).unwrap();
}

/// The service refuses all access tokens issued so far.
fn refuse_access_tokens(service: &mut Service, round: usize) {
    service.kill();
    let secret = format!("{round}-a-secret-of-thirty-two-letters-at-least");
    service.restart_with(&[("YANIV_TOKEN_SECRET", &secret)]);
}

/// Carol registers and quits.
fn carol(url: &str, home: &Scratch) {
    let mut carol = Terminal::open(home, &["--server", url, "--user", "carol"]);
    carol.registers("carol");
    carol.hears("Your choice:");
    carol.closes();
}

#[test]
fn coming_back_needs_nothing_typed_and_keeps_no_password() {
    let (service, home) = (Service::start(), Scratch::new());
    let mut first = Terminal::open(&home, &["--server", &service.url()]);
    first.hears("Your name:");
    first.types("A b");
    first.hears("A name has 3 to 20 letters");
    first.types("carol");
    first.registers("carol");
    first.creates(SHORT);
    first.closes();

    let kept = std::fs::read_to_string(home.memory()).unwrap();
    assert!(kept.contains("carol") && !kept.contains(PASSWORD), "{kept}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        for file in std::fs::read_dir(home.0.join("yaniv")).unwrap() {
            let mode = file.unwrap().metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
    let mut again = Terminal::open(&home, &[]);
    again.hears("You are carol");
    again.hears("open under ");
    again.types("1");
    again.hears("This match waits for players.");
    again.types("leave");
    again.hears("You have left.");
    again.hears("You have no matches yet.");

    // Another state file, which has no log-ins.
    let stick = home.0.join("stick.json");
    let arguments = ["--server", &service.url(), "--state", stick.to_str().unwrap()];
    let mut elsewhere = Terminal::open(&home, &arguments);
    elsewhere.hears("Your name:");
    elsewhere.types("dora");
    elsewhere.registers("dora");
    elsewhere.is_let_in();
    assert!(std::fs::read_to_string(&stick).unwrap().contains("dora"));
    assert!(!std::fs::read_to_string(home.memory()).unwrap().contains("dora"));

    // The state cannot be written: that is reported, and play continues.
    let nowhere = stick.join("play.json");
    let arguments = ["--server", &service.url(), "--state", nowhere.to_str().unwrap(), "--guest"];
    let mut guest = Terminal::open(&home, &arguments);
    guest.hears("Your log-in cannot be kept for the next time");
    guest.is_let_in();
}

#[test]
fn after_three_weeks_nothing_is_asked_and_after_sixty_one_days_the_password() {
    let (service, home) = (Service::start(), Scratch::new());
    carol(&service.url(), &home);
    let refresh_token = remembered(&home)["tokens"]["refresh_token"].clone();
    let later = "UPDATE sessions SET created_at = created_at - interval '21 days', \
                 last_used_at = last_used_at - interval '21 days', rotated_at = rotated_at - interval '21 days', \
                 expires_at = expires_at - interval '21 days'";
    assert_eq!(service.sql(later), 1);
    spoil(&home, true);
    let mut carol = Terminal::open(&home, &[]);
    carol.hears("You are carol");
    carol.is_let_in();
    carol.closes();
    assert_ne!(remembered(&home)["tokens"]["refresh_token"], refresh_token, "the newest is kept");
    let prolonged = "SELECT FROM sessions WHERE expires_at > now() + interval '59 days'";
    assert_eq!(service.sql(prolonged), 1, "sixty days from now");

    assert_eq!(service.sql("UPDATE sessions SET expires_at = now() - interval '1 day'"), 1);
    spoil(&home, true);
    let mut carol = Terminal::open(&home, &[]);
    carol.hears("Your log-in has ended.");
    carol.hears("Password of carol:");
    carol.types("not the password");
    carol.hears("Not accepted");
    carol.hears("Password of carol:");
    carol.types(PASSWORD);
    carol.is_let_in();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_survives_answers_that_get_lost() {
    let (service, home) = (Service::start(), Scratch::new());
    let lossy = Lossy::start(&service, "/v1/sessions/refresh").await;
    carol(&lossy.url(), &home);
    for (lost, shown) in [(1, true), (3, false), (2, true)] {
        spoil(&home, shown);
        lossy.lose.store(lost, Ordering::SeqCst);
        let mut carol = Terminal::open(&home, &[]);
        carol.is_let_in();
        carol.closes();
        assert_eq!(lossy.lose.load(Ordering::SeqCst), 0, "answers have got lost");
    }
    assert_eq!(service.sql("SELECT FROM sessions WHERE ended_at IS NULL"), 1, "the first session");
}

#[test]
fn two_at_once_do_not_log_each_other_out() {
    let (mut service, home) = (Service::start(), Scratch::new());
    carol(&service.url(), &home);
    for round in 0..6 {
        spoil(&home, round % 2 == 0);
        let mut both = [Terminal::open(&home, &[]), Terminal::open(&home, &[])];
        for terminal in &mut both {
            terminal.is_let_in();
        }
        refuse_access_tokens(&mut service, round);
        for terminal in &mut both {
            terminal.types("");
        }
        for terminal in &mut both {
            terminal.is_let_in();
        }
    }
    assert_eq!(service.sql("SELECT FROM sessions"), 1, "nobody has logged in again");
    assert_eq!(service.sql("SELECT FROM sessions WHERE ended_at IS NULL"), 1);
}

#[test]
fn who_lay_idle_goes_on_with_what_another_terminal_has_refreshed() {
    let (mut service, home) = (Service::start(), Scratch::new());
    carol(&service.url(), &home);
    let (mut idle, mut busy) = (Terminal::open(&home, &[]), Terminal::open(&home, &[]));
    for terminal in [&mut idle, &mut busy] {
        terminal.is_let_in();
    }
    for round in 0..3 {
        refuse_access_tokens(&mut service, round);
        busy.types("");
        busy.is_let_in();
    }
    // Their refresh token was used three refreshes ago: sent to the service, it would end the session.
    for terminal in [&mut idle, &mut busy] {
        terminal.types("");
        terminal.is_let_in();
    }
    assert_eq!(service.sql("SELECT FROM sessions WHERE ended_at IS NULL"), 1);
    assert_eq!(service.sql("SELECT FROM sessions"), 1, "nobody has logged in again");
}

#[test]
fn logging_out_ends_the_session_and_keeps_the_name() {
    let (service, home) = (Service::start(), Scratch::new());
    carol(&service.url(), &home);
    spoil(&home, true);
    let mut out = Terminal::open(&home, &["--log-out"]);
    out.hears("carol is logged out of ");
    out.closes();
    assert_eq!(service.sql("SELECT FROM sessions WHERE ended_at IS NULL"), 0);
    assert_eq!(remembered(&home).get("tokens"), None);
    let mut again = Terminal::open(&home, &["--log-out"]);
    again.hears("You are not logged in at ");
    again.closes();
    let mut carol = Terminal::open(&home, &[]);
    carol.hears("Welcome back to ");
    carol.hears("Password of carol:");
    carol.types(PASSWORD);
    carol.is_let_in();
}

#[test]
fn a_guest_plays_at_once_stays_and_claims_the_account() {
    let (service, home) = (Service::start(), Scratch::new());
    let mut guest = Terminal::open(&home, &["--server", &service.url(), "--guest"]);
    guest.hears("You play as guest_");
    guest.hears("claim NAME");
    let code = guest.creates(SHORT);
    guest.closes();

    spoil(&home, true);
    let mut guest = Terminal::open(&home, &["--server", &service.url(), "--guest"]);
    guest.hears("You are guest_");
    guest.hears(&code);
    guest.hears("claim NAME keeps this account");
    let mut other = Terminal::open(&home, &[]);
    other.is_let_in();
    guest.hears("Your choice:");
    guest.types("claim Dora");
    guest.hears("Choose a password");
    guest.types(PASSWORD);
    guest.hears("The same again:");
    guest.types(PASSWORD);
    guest.hears("You are dora now");
    guest.hears(&code);
    guest.types("claim dora");
    guest.hears("You are no guest");
    guest.closes();
    other.types("");
    other.is_let_in();

    let mut dora = Terminal::open(&home, &[]);
    dora.hears("You are dora");
    let said = dora.is_let_in();
    assert!(said.contains(&code) && !said.contains("guest"), "{said}");
    // On another machine, by name and password.
    let mut elsewhere = Terminal::open(&Scratch::new(), &["--server", &service.url(), "--user", "dora"]);
    elsewhere.hears("Is dora a new player here?");
    elsewhere.types("n");
    elsewhere.hears("Password of dora:");
    elsewhere.types(PASSWORD);
    elsewhere.hears(&code);

    // At the start, with an option.
    let home = Scratch::new();
    let mut guest = Terminal::open(&home, &["--server", &service.url(), "--guest", "--claim", "erna"]);
    guest.hears("Choose a password");
    guest.types(PASSWORD);
    guest.hears("The same again:");
    guest.types(PASSWORD);
    guest.hears("You are erna now");
    guest.hears("Your choice:");
    guest.closes();
    assert_eq!(remembered(&home)["name"], "erna");
}
