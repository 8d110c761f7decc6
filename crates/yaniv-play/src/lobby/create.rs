//! Creates a match: preset, changed options, number of seats.

use serde_json::{Map, Value};
use uuid::Uuid;
use yaniv_client::types::{CreateMatchRequest, Preset, RuleSetRequest};
use yaniv_client::{Failure, Key};

use crate::Stop;
use crate::account::player::Guest;
use crate::lobby::menu;
use crate::screen::paint::wrapped;

/// Asks for the settings, creates the match and opens it, unless the player cancels.
pub(crate) async fn create(guest: &mut Guest) -> Result<(), Stop> {
    let presets = guest.ask(async |player| player.server().presets().await).await?;
    let mut lines = vec!["\nWhich rules?".to_owned()];
    for (number, preset) in presets.iter().enumerate() {
        let line = format!("{:>3}  {:<20} {}", number + 1, *preset.title, *preset.description);
        lines.push(wrapped(&line, 26));
    }
    lines.push("Options may follow the number, as in: 1 max_rounds=3 (options lists them).".to_owned());
    guest.terminal.say(&lines.join("\n"))?;
    loop {
        let line = guest.terminal.ask("Rules [1], or q to go back:").await?;
        let rules = match line.trim() {
            "q" | "back" => return Ok(()),
            "options" => {
                options(guest).await?;
                continue;
            }
            line => match rules(line, &presets) {
                Ok(rules) => rules,
                Err(why) => {
                    guest.terminal.say(&why)?;
                    continue;
                }
            },
        };
        let size = seats(guest, &rules, &presets).await?;
        let wish = CreateMatchRequest {
            time_control: None,
            rated: None,
            sandbox: None,
            sandbox_seed: None,
            size,
            rules: Some(rules),
            seat_order: None,
            client_seed: client_seed().parse().ok(),
            visibility: None,
            join_code_expires_in_hours: None,
            bots: Vec::new(),
        };
        let key = Key::fresh();
        match guest.ask(async |player| player.create(&key, &wish).await).await {
            Ok(view) => return menu::enter(guest, view.match_id).await,
            Err(Stop::Failed(failure @ Failure::Refused(_))) => {
                guest.terminal.say(&format!("Not possible: {failure}."))?;
            }
            Err(stop) => return Err(stop),
        }
    }
}

/// A random client seed, which nobody could predict.
pub(crate) fn client_seed() -> String {
    Uuid::new_v4().simple().to_string()
}

async fn options(guest: &mut Guest) -> Result<(), Stop> {
    let options = guest.ask(async |player| player.server().rule_options().await).await?;
    let line = |name: &str, what: &str| wrapped(&format!("  {name:<20} {what}"), 23);
    let lines = options.iter().map(|option| line(&option.name, &option.description));
    Ok(guest.terminal.say(&lines.collect::<Vec<_>>().join("\n"))?)
}

/// Rules as typed on the command line; `None` for the service's default.
pub(crate) async fn wanted(guest: &mut Guest, line: &str) -> Result<Option<RuleSetRequest>, Stop> {
    if line.trim().is_empty() {
        return Ok(None);
    }
    let presets = guest.ask(async |player| player.server().presets().await).await?;
    rules(line, &presets).map(Some).map_err(Stop::Unclear)
}

/// Parses `2 max_rounds=3`: a number or name, and options as in the API.
fn rules(line: &str, presets: &[Preset]) -> Result<RuleSetRequest, String> {
    let mut words = line.split_whitespace().peekable();
    let first = words.next_if(|word| !word.contains('=')).unwrap_or("1");
    let number = first.parse::<usize>().ok().and_then(|number| presets.get(number.checked_sub(1)?));
    let preset =
        number.or_else(|| presets.iter().find(|preset| preset.name.as_str() == first)).ok_or_else(|| {
            format!("There are no rules \"{first}\": type a number from 1 to {}.", presets.len())
        })?;
    let mut fields = Map::new();
    fields.insert("preset".to_owned(), Value::from(preset.name.as_str()));
    for word in words {
        let (name, value) =
            word.split_once('=').ok_or_else(|| format!("\"{word}\": an option is typed as name=value."))?;
        let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
        fields.insert(name.to_owned(), value);
    }
    serde_json::from_value(Value::Object(fields))
        .map_err(|_| "An option or its value does not fit.".to_owned())
}

async fn seats(guest: &mut Guest, rules: &RuleSetRequest, presets: &[Preset]) -> Result<i32, Stop> {
    let named = presets.iter().find(|preset| rules.preset.as_deref() == Some(&*preset.name));
    let most = named.map_or(10, |preset| preset.max_players);
    loop {
        let line = guest.terminal.ask(&format!("How many players, 2 to {most} [2]?")).await?;
        match line.parse() {
            _ if line.is_empty() => return Ok(2),
            Ok(size) if (2..=most).contains(&size) => return Ok(size),
            _ => guest.terminal.say("Please type a number.")?,
        }
    }
}
