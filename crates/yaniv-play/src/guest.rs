//! Who sits at the terminal: logged in, and staying so. What is asked of the service through a guest is asked until it is
//! answered, however long the network is down.

use std::num::NonZeroU32;
use std::time::Duration;

use uuid::Uuid;
use yaniv_client::types::{Match, Session};
use yaniv_client::{Failure, Look, Player, Server, Tag};

use crate::Stop;
use crate::memory::Memory;
use crate::terminal::Terminal;

/// The player at this terminal.
pub(crate) struct Guest {
    pub(crate) terminal: Terminal,
    pub(crate) player: Player,
    pub(crate) name: String,
    /// The program chooses the moves.
    pub(crate) auto: bool,
    /// Between two looks at a match.
    pub(crate) poll: Duration,
    memory: Memory,
    /// Kept while the program runs, so that a token that expires is renewed without a question.
    password: Option<String>,
    /// The service has not answered lately.
    silent: bool,
}

/// What ends a time of waiting.
pub(crate) enum Event {
    /// Something was typed.
    Line(String),
    /// The match is not as it was.
    News(Box<Match>),
}

/// Name and password as they were typed, or a log-in that is still good.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) token: String,
    pub(crate) password: Option<String>,
}

impl Guest {
    /// Somebody who has logged in.
    pub(crate) fn new(
        terminal: Terminal,
        memory: Memory,
        server: &Server,
        entry: Entry,
    ) -> Result<Self, Stop> {
        let player = Player::new(server, &entry.token)?;
        let poll = Duration::from_secs(2);
        let (name, password) = (entry.name, entry.password);
        Ok(Self { terminal, player, name, auto: false, poll, memory, password, silent: false })
    }

    /// The service.
    pub(crate) fn server(&self) -> &Server {
        self.player.server()
    }

    /// Asks the service until it has answered; a request with a key is done once however often it is sent.
    pub(crate) async fn ask<T>(
        &mut self,
        request: impl AsyncFn(&Player) -> Result<T, Failure>,
    ) -> Result<T, Stop> {
        loop {
            match request(&self.player).await {
                Err(Failure::Unanswered(why)) => self.silence(&why)?,
                Err(Failure::LoggedOut) => self.log_in_again().await?,
                answer => {
                    self.hear()?;
                    return Ok(answer?);
                }
            }
        }
    }

    /// Waits for a line, and meanwhile looks every few seconds whether the match has changed.
    pub(crate) async fn wait(&mut self, view: &Match, tag: &mut Option<Tag>) -> Result<Event, Stop> {
        loop {
            let deaf = self.auto && self.terminal.has_ended();
            let look = async {
                tokio::time::sleep(self.poll).await;
                self.player.look(view.id, view.version, tag.as_ref()).await
            };
            let looked = tokio::select! {
                line = self.terminal.line(), if !deaf => match line {
                    // Who lets the program play needs no input.
                    Err(Stop::Quit) if self.auto => continue,
                    line => return line.map(Event::Line),
                },
                looked = look => looked,
            };
            let answered = match looked {
                Err(Failure::Unanswered(why)) => {
                    self.silence(&why)?;
                    continue;
                }
                Err(Failure::LoggedOut) => {
                    self.log_in_again().await?;
                    continue;
                }
                answered => answered?,
            };
            self.hear()?;
            if let Look::New(new, new_tag) = answered {
                *tag = new_tag;
                let gift = |view: &Match| view.table.as_ref().is_some_and(|table| table.gift.is_some());
                if new.version != view.version || gift(&new) != gift(view) {
                    return Ok(Event::News(new));
                }
            }
        }
    }

    /// Says once that there is no answer.
    fn silence(&mut self, why: &str) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.silent, true) {
            let url = self.server().url().to_owned();
            let text = format!(
                "No answer from {url} ({why}). I keep trying. Nothing gets lost, and nothing is done twice."
            );
            self.terminal.say(&text)?;
        }
        Ok(())
    }

    /// Says that there are answers again.
    fn hear(&mut self) -> Result<(), Stop> {
        if std::mem::take(&mut self.silent) {
            self.terminal.say("The service answers again.")?;
        }
        Ok(())
    }

    /// A new token, with the password of this run or one that is asked for.
    pub(crate) async fn log_in_again(&mut self) -> Result<(), Stop> {
        loop {
            let password = match self.password.take() {
                Some(password) => password,
                None => {
                    self.terminal.say("Your log-in has expired.")?;
                    self.terminal.password(&format!("Password of {}:", self.name)).await?
                }
            };
            let device = self.memory.device_token(self.server().url(), &self.name);
            match self.server().log_in_on(&self.name, &password, device.as_deref()).await {
                Ok(session) => {
                    self.player = Player::new(self.server(), &session.access_token)?;
                    self.password = Some(password);
                    remember(&mut self.memory, self.player.server(), &session);
                    return Ok(());
                }
                Err(Failure::Unanswered(why)) => {
                    self.password = Some(password);
                    self.silence(&why)?;
                }
                Err(failure @ (Failure::Refused(_) | Failure::Mismatch(_))) => {
                    self.terminal.say(&format!("Not accepted: {failure}."))?;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    /// How far this player has looked in a match, in this run or an earlier one.
    pub(crate) fn seen(&self, id: Uuid) -> Option<NonZeroU32> {
        self.memory.seen(self.server().url(), &self.name, id)
    }

    /// Remembers it.
    pub(crate) fn keep_seen(&mut self, id: Uuid, version: NonZeroU32) {
        let url = self.server().url().to_owned();
        self.memory.keep_seen(&url, &self.name, id, version);
    }
}

/// Remembers a log-in for the next time.
pub(crate) fn remember(memory: &mut Memory, server: &Server, session: &Session) {
    let (name, expires_at) = (&session.account.username, session.expires_at);
    memory.keep(server.url(), name, &session.access_token, expires_at, &session.device_token);
}
