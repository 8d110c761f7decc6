//! Output of admin commands: lines of text for people, or a JSON object for programs. Times are in UTC;
//! absent values are left out.

use std::io;

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Map, Value, json};
use uuid::Uuid;
use yaniv_app::admin::accounts::{AdminAccount, AdminDetails, Revoked, Suspension};
use yaniv_app::admin::invitations::SignUpInvitation;
use yaniv_app::admin::session::AuditEntry;
use yaniv_app::admin::storage::Storage;

use crate::cli;

/// Result of a command, in both forms.
pub(super) struct Said {
    pub(super) text: String,
    pub(super) json: Value,
}

impl Said {
    /// Prints the result to standard output.
    ///
    /// # Errors
    /// Errors of writing.
    pub(super) fn print(self, json: bool) -> io::Result<()> {
        let text = if json { format!("{}\n", self.json) } else { self.text };
        cli::print(&text)
    }

    pub(super) fn list(items: Vec<Self>, none: &str) -> Self {
        let (texts, values): (Vec<String>, Vec<Value>) =
            items.into_iter().map(|said| (said.text, said.json)).unzip();
        let text = if texts.is_empty() { format!("{none}\n") } else { texts.concat() };
        Self { text, json: json!({"items": values}) }
    }
}

pub(super) fn accounts(accounts: Vec<AdminAccount>) -> Said {
    Said::list(accounts.into_iter().map(account).collect(), "no accounts")
}

fn account(account: AdminAccount) -> Said {
    let mut text = format!("{:20} {:6} since {}", account.username, account.kind, time(account.created_at));
    let mut json = json!({
        "id": account.id,
        "username": account.username,
        "kind": account.kind,
        "created_at": time(account.created_at),
    });
    if let Some(Suspension { since, until, reason }) = account.suspension {
        text.push_str(&format!(", suspended {}", time(since)));
        let mut suspension = json!({"since": time(since)});
        if let Some(until) = until {
            text.push_str(&format!(" until {}", time(until)));
            set(&mut suspension, "until", json!(time(until)));
        }
        if let Some(reason) = reason {
            text.push_str(&format!(": {reason}"));
            set(&mut suspension, "reason", json!(reason));
        }
        set(&mut json, "suspension", suspension);
    }
    text.push('\n');
    Said { text, json }
}

pub(super) fn details(details: AdminDetails) -> Said {
    let AdminDetails { account: of, sessions, personal_tokens, last_used_on } = details;
    let Said { mut text, mut json } = account(of);
    text.push_str(&format!("sessions {sessions}, personal tokens {personal_tokens}"));
    set(&mut json, "sessions", json!(sessions));
    set(&mut json, "personal_tokens", json!(personal_tokens));
    if let Some(day) = last_used_on {
        text.push_str(&format!(", last used {day}"));
        set(&mut json, "last_used_on", json!(day.to_string()));
    }
    text.push('\n');
    Said { text, json }
}

/// Result of a command on an account, with the generated password, if any.
pub(super) fn password(username: &str, done: &str, drawn: Option<String>) -> Said {
    let mut text = format!("{username}: {done}\n");
    let mut json = json!({"username": username, "done": done});
    if let Some(password) = drawn {
        text.push_str(&format!("password: {password}\n"));
        set(&mut json, "password", json!(password));
    }
    Said { text, json }
}

pub(super) fn revoked(username: &str, done: &str, revoked: &Revoked) -> Said {
    let Revoked { sessions, personal_tokens } = revoked;
    let text = format!("{username}: {done}; sessions ended {sessions}, personal tokens {personal_tokens}\n");
    let ended = json!({"sessions": sessions, "personal_tokens": personal_tokens});
    Said { text, json: json!({"username": username, "done": done, "ended": ended}) }
}

pub(super) fn dedication(match_id: Uuid, round: i16) -> Said {
    let text = format!("{match_id}: the dedication of round {round} is removed\n");
    Said { text, json: json!({"match_id": match_id, "round": round, "done": "removed"}) }
}

pub(super) fn deleted(matches: i64) -> Said {
    let text = format!("{matches} archived matches are deleted\n");
    Said { text, json: json!({"deleted": matches}) }
}

pub(super) fn invitations(invitations: Vec<SignUpInvitation>) -> Said {
    Said::list(invitations.into_iter().map(invitation).collect(), "no invitations")
}

pub(super) fn invitation(invitation: SignUpInvitation) -> Said {
    let SignUpInvitation { id, note, uses, used, created_at, expires_at, revoked_at } = invitation;
    let mut text = format!("{id}  used {used} of {uses}, expires {}", time(expires_at));
    let mut json = json!({
        "id": id,
        "uses": uses,
        "used": used,
        "created_at": time(created_at),
        "expires_at": time(expires_at),
    });
    if let Some(at) = revoked_at {
        text.push_str(&format!(", revoked {}", time(at)));
        set(&mut json, "revoked_at", json!(time(at)));
    }
    if !note.is_empty() {
        text.push_str(&format!("  {note}"));
        set(&mut json, "note", json!(note));
    }
    text.push('\n');
    Said { text, json }
}

pub(super) fn new_invitation(new: SignUpInvitation, code: &str) -> Said {
    let Said { text, mut json } = invitation(new);
    set(&mut json, "code", json!(code));
    Said { text: format!("{text}code: {code}\n"), json }
}

pub(super) fn audit(entries: Vec<AuditEntry>) -> Said {
    Said::list(entries.into_iter().map(entry).collect(), "nothing")
}

fn entry(entry: AuditEntry) -> Said {
    let AuditEntry { at, by, action, subject, username, reason } = entry;
    let mut text = format!("{}  {by}  {action}", time(at));
    let mut json = json!({"at": time(at), "by": by, "action": action});
    if let Some(subject) = subject {
        text.push_str(&format!("  {}", username.clone().unwrap_or_else(|| subject.to_string())));
        set(&mut json, "subject_id", json!(subject));
    }
    if let Some(username) = username {
        set(&mut json, "username", json!(username));
    }
    if let Some(reason) = reason {
        text.push_str(&format!("  ({reason})"));
        set(&mut json, "reason", json!(reason));
    }
    text.push('\n');
    Said { text, json }
}

pub(super) fn storage(storage: &Storage) -> Said {
    let (mut text, mut json) =
        (format!("{:24}{:>14}{:>18}{:>16}\n", "", "matches", "bytes", "bytes a match"), json!({}));
    let parts = [
        ("log, not archived", "log", storage.log),
        ("log, archived", "archive", storage.archive),
        ("settings, seats", "matches", storage.matches),
        ("statistics, ratings", "statistics", storage.statistics),
    ];
    for (title, name, part) in parts {
        let each = part.of_a_match().map(|each| each.to_string()).unwrap_or_default();
        text.push_str(&format!("{title:24}{:>14}{:>18}{each:>16}\n", part.matches, part.bytes));
        let mut of_part = json!({"matches": part.matches, "bytes": part.bytes});
        set_some(&mut of_part, "bytes_a_match", part.of_a_match());
        set(&mut json, name, of_part);
    }
    text.push_str(&format!("{:24}{:>14}{:>18}\n", "everything else", "", storage.others));
    text.push_str(&format!("In the last 30 days {} matches ended.", storage.ended));
    let (month, archived) = (storage.next_month(), storage.next_month_archived());
    text.push_str(&match (month, archived) {
        (Some(month), Some(archived)) => {
            format!(" A month like it adds {month} bytes, of which {archived} are left when it is archived.")
        }
        (Some(month), None) => format!(" A month like it adds {month} bytes."),
        (None, Some(archived)) => {
            format!(" Of a month like it {archived} bytes are left when it is archived.")
        }
        (None, None) => " There are too few matches to estimate the next 30 days.".to_owned(),
    });
    set(&mut json, "others", json!({"bytes": storage.others}));
    set(&mut json, "ended_in_30_days", json!(storage.ended));
    set_some(&mut json, "bytes_of_next_month", month);
    set_some(&mut json, "bytes_of_next_month_archived", archived);
    Said { text: text + "\n", json }
}

fn set_some(object: &mut Value, name: &str, value: Option<i64>) {
    if let Some(value) = value {
        set(object, name, json!(value));
    }
}

pub(super) fn set(object: &mut Value, name: &str, value: Value) {
    let fields: Option<&mut Map<String, Value>> = object.as_object_mut();
    if let Some(fields) = fields {
        fields.insert(name.to_owned(), value);
    }
}

pub(super) fn time(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true)
}
