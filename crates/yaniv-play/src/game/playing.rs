//! A match in play: prints events and the table, runs commands, and polls for changes.

use std::path::Path;

use uuid::Uuid;
use yaniv_client::types::LogEntry;
use yaniv_client::{Failure, Key, Move, Tag, View};

use crate::Stop;
use crate::account::player::{Event, Guest};
use crate::game::auto;
use crate::game::commands::{self, Command};
use crate::texts::{clock, help, rules, scores, story, table};

/// How many past events are printed on entry.
const TOLD: usize = 12;

/// Plays until the match is over or the player leaves; returns the next match, if there is one.
pub(crate) async fn play(guest: &mut Guest, view: View) -> Result<Option<Uuid>, Stop> {
    let mut game = Game { guest, view, tag: None };
    game.tell()?;
    if game.view.result.is_none() {
        game.draw(false)?;
    }
    game.go_on().await
}

pub(crate) struct Game<'a> {
    pub(crate) guest: &'a mut Guest,
    pub(crate) view: View,
    tag: Option<Tag>,
}

impl Game<'_> {
    async fn go_on(&mut self) -> Result<Option<Uuid>, Stop> {
        loop {
            self.guest.keep_seen(self.view.match_id, self.view.version);
            if let Some(result) = &self.view.result {
                let paint = self.guest.terminal.paint;
                self.guest.terminal.say(&scores::ranking(result, &self.view, paint))?;
                self.guest.auto = self.guest.always_auto;
                return if self.guest.auto { Ok(None) } else { self.after().await };
            }
            if self.guest.auto
                && let Some(action) = auto::choose(&self.view)
            {
                if !self.act(&action).await? {
                    tokio::time::sleep(self.guest.poll).await;
                }
                continue;
            }
            let prompt = if self.view.your_turn { "Your move:" } else { "(Enter: back to your matches)" };
            self.guest.terminal.prompt(prompt)?;
            match self.guest.wait(&self.view, &mut self.tag).await? {
                Event::News(view) => self.see(*view)?,
                Event::Line(line) if line.is_empty() && !self.view.your_turn => return Ok(None),
                Event::Line(line) if line.is_empty() => self.draw(false)?,
                Event::Line(line) => match commands::parse(&line, &self.view) {
                    Ok(Command::Back) => return Ok(None),
                    Ok(Command::Quit) => return Err(Stop::Quit),
                    Ok(command) => self.obey(command).await?,
                    Err(why) => self.guest.terminal.say(&why)?,
                },
            }
        }
    }

    pub(crate) async fn obey(&mut self, command: Command) -> Result<(), Stop> {
        let paint = self.guest.terminal.paint;
        match command {
            Command::Act(action) => drop(self.act(&action).await?),
            Command::Resign => {
                if self.guest.terminal.ask("Give up this match? Type yes:").await?.to_lowercase() == "yes" {
                    self.act(&Move::Resign).await?;
                }
            }
            Command::Dedication(text) => self.dedicate(&text).await?,
            Command::Table { all } => self.draw(all)?,
            Command::Help => self.guest.terminal.say(help::MATCH)?,
            Command::Rules => self.guest.terminal.say(&rules::rules_text(&self.view.settings.rules))?,
            Command::Scores => self.guest.terminal.say(&scores::sheet(&self.view, paint))?,
            Command::Log(count) => self.log(count).await?,
            Command::Record(file) => self.record(&file).await?,
            Command::Auto => {
                self.guest.auto = !self.guest.auto;
                let text = if self.guest.auto { "The program plays for you now." } else { "You play again." };
                self.guest.terminal.say(text)?;
            }
            // The caller handles the commands that leave.
            Command::Back | Command::Quit => {}
        }
        Ok(())
    }

    /// Acts; false if refused.
    async fn act(&mut self, action: &Move) -> Result<bool, Stop> {
        let (key, id, version) = (Key::fresh(), self.view.match_id, self.view.version);
        match self.guest.ask(async |player| player.act(&key, id, version, action).await).await {
            Ok(view) => {
                self.see(view)?;
                Ok(true)
            }
            Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
                let text = match failure.code() {
                    Some("version_conflict") => {
                        "The match has moved on in the meantime; nothing was done.".to_owned()
                    }
                    _ => format!("Not done: {failure}."),
                };
                self.guest.terminal.say(&text)?;
                let view = self.guest.ask(async |player| player.view(id, Some(version)).await).await?;
                self.see(view)?;
                Ok(false)
            }
            Err(stop) => Err(stop),
        }
    }

    async fn dedicate(&mut self, text: &str) -> Result<(), Stop> {
        let id = self.view.match_id;
        let said = match self.guest.ask(async |player| player.dedicate(id, text).await).await {
            Ok(()) => "It is written on the turned-up card.".to_owned(),
            Err(Stop::Failed(failure @ (Failure::Refused(_) | Failure::Mismatch(_)))) => {
                format!("Not done: {failure}.")
            }
            Err(stop) => return Err(stop),
        };
        Ok(self.guest.terminal.say(&said)?)
    }

    /// Takes over a new view: prints events, and the table if the player can act.
    fn see(&mut self, view: View) -> Result<(), Stop> {
        let before = std::mem::replace(&mut self.view, view);
        self.view.recent.retain(|entry| entry.version > before.version);
        self.tell()?;
        let round = |view: &View| view.table.as_ref().map(|table| table.round);
        let dedication = |view: &View| view.table.as_ref().is_some_and(|table| table.dedication.is_some());
        if self.view.result.is_some() {
            return Ok(());
        }
        let new = round(&self.view) != round(&before) || dedication(&self.view) != dedication(&before);
        let choice = !self.guest.auto && (self.view.your_turn || can_act(&self.view));
        if new || choice {
            return self.draw(false);
        }
        if self.view.your_turn {
            return Ok(());
        }
        let text = clock::pressure(&self.view);
        Ok(self.guest.terminal.say(&self.guest.terminal.paint.dim(&text))?)
    }

    /// Prints the events in `recent`, with the scores of finished rounds.
    fn tell(&mut self) -> Result<(), Stop> {
        let paint = self.guest.terminal.paint;
        let (view, mut lines) = (&self.view, Vec::new());
        let hidden = view.recent.len().saturating_sub(TOLD);
        if hidden > 0 {
            lines.push(format!("  … {hidden} more before that (log {})", hidden + TOLD));
        }
        for entry in view.recent.iter().skip(hidden) {
            lines.extend(story::sentence(entry, view, paint).map(|text| format!("  {text}")));
            if entry.ended_round {
                lines.extend(self.ended(entry));
            }
        }
        if lines.is_empty() { Ok(()) } else { Ok(self.guest.terminal.say(&lines.join("\n"))?) }
    }

    /// The end of a round: with all hands if it is the last finished one, otherwise one line.
    fn ended(&self, entry: &LogEntry) -> Option<String> {
        let (view, paint) = (&self.view, self.guest.terminal.paint);
        // An entry of the round in play does not name it.
        let ended = entry.round.or_else(|| view.table.as_ref().map(|table| table.round))?;
        let last = view.last_round.as_ref().filter(|round| round.round == ended);
        let short = || Some(format!("  Round {ended} ended; scores shows how."));
        last.map(|round| scores::round(round, view, paint)).or_else(short)
    }

    fn draw(&mut self, all: bool) -> Result<(), Stop> {
        let text = table::draw(&self.view, self.guest.terminal.paint, all);
        Ok(self.guest.terminal.say(&text)?)
    }

    async fn log(&mut self, count: usize) -> Result<(), Stop> {
        let (id, paint) = (self.view.match_id, self.guest.terminal.paint);
        let count = i32::try_from(count).unwrap_or(i32::MAX);
        let mut after =
            i32::try_from(self.view.version.get()).unwrap_or(i32::MAX).saturating_sub(count).max(0);
        let mut lines = Vec::new();
        loop {
            let page = self.guest.ask(async |player| player.log(id, after).await).await?;
            let Some(last) = page.items.last() else { break };
            for entry in &page.items {
                let at = entry.at.unwrap_or(page.server_time);
                let ago = format!("{} ago", clock::duration(at, page.server_time));
                lines.extend(
                    story::sentence(entry, &self.view, paint).map(|text| format!("  {ago:>14}  {text}")),
                );
            }
            after = i32::try_from(last.version.get()).unwrap_or(i32::MAX);
            if last.version >= page.version {
                break;
            }
        }
        Ok(self.guest.terminal.say(&lines.join("\n"))?)
    }

    async fn record(&mut self, file: &Path) -> Result<(), Stop> {
        let id = self.view.match_id;
        let record = self.guest.ask(async |player| player.record(id).await).await?;
        let written = serde_json::to_vec_pretty(&record).map_err(Into::into).and_then(|text| {
            std::fs::File::create_new(file).and_then(|mut new| std::io::Write::write_all(&mut new, &text))
        });
        let said = match written {
            Ok(()) => format!("Saved. To check it:  yaniv verify {}", file.display()),
            Err(error) => format!("Not saved: {error}."),
        };
        Ok(self.guest.terminal.say(&said)?)
    }
}

/// Whether an action is possible although the match does not wait for the player.
fn can_act(view: &View) -> bool {
    view.legal.as_ref().is_some_and(|legal| legal.slam_card.is_some() || !legal.ask.is_empty())
}
