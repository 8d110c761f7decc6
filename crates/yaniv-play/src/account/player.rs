//! The player at the terminal, with a session that stays valid. Requests are retried until answered, however long the
//! network is down.

use std::num::NonZeroU32;
use std::time::Duration;

use uuid::Uuid;
use yaniv_client::{Failure, Look, Player, Server, Tag, View};

use crate::Stop;
use crate::account::memory::{LogIn, Memory, Tokens};
use crate::screen::terminal::Terminal;

/// The player at this terminal.
pub(crate) struct Guest {
    pub(crate) terminal: Terminal,
    pub(crate) player: Player,
    pub(crate) name: String,
    /// A guest account, without name and password.
    pub(crate) unnamed: bool,
    /// The program chooses the moves, in this match or in all.
    pub(crate) auto: bool,
    pub(crate) always_auto: bool,
    /// Polling interval of a match.
    pub(crate) poll: Duration,
    pub(crate) memory: Memory,
    /// The newest tokens of this session.
    pub(crate) tokens: Tokens,
    /// The service is not answering; the player was informed.
    silent: bool,
    /// The player was informed that the file cannot be written.
    pub(crate) complained: bool,
}

/// The end of a wait.
pub(crate) enum Event<T> {
    /// A line was typed.
    Line(String),
    /// The service answered.
    News(T),
}

/// An account, and its session.
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) unnamed: bool,
    pub(crate) tokens: Tokens,
}

impl Entry {
    /// A stored log-in, unless its session has ended.
    pub(crate) fn of(log_in: &LogIn) -> Option<Self> {
        let tokens = log_in.tokens.clone()?;
        Some(Self { name: log_in.name.clone(), unnamed: log_in.guest, tokens })
    }
}

impl Guest {
    /// A player who has logged in.
    pub(crate) fn new(
        terminal: Terminal,
        memory: Memory,
        server: &Server,
        entry: Entry,
    ) -> Result<Self, Stop> {
        let player = Player::new(server, &entry.tokens.access_token)?;
        let Entry { name, unnamed, tokens } = entry;
        Ok(Self {
            terminal,
            player,
            name,
            unnamed,
            auto: false,
            always_auto: false,
            poll: Duration::from_secs(2),
            memory,
            tokens,
            silent: false,
            complained: false,
        })
    }

    /// The service.
    pub(crate) fn server(&self) -> &Server {
        self.player.server()
    }

    /// Retries a request until it is answered; a request with a key takes effect once, however often it is sent.
    pub(crate) async fn ask<T>(
        &mut self,
        request: impl AsyncFn(&Player) -> Result<T, Failure>,
    ) -> Result<T, Stop> {
        loop {
            self.renew_in_time().await?;
            match request(&self.player).await {
                Err(Failure::Unanswered(why)) => self.silence(&why)?,
                Err(Failure::LoggedOut) => self.renew().await?,
                answer => {
                    self.hear()?;
                    return Ok(answer?);
                }
            }
        }
    }

    /// Waits for a line, and polls the service with a pause; returns what comes first.
    pub(crate) async fn listen<T>(
        &mut self,
        request: impl AsyncFn(&Player) -> Result<T, Failure>,
    ) -> Result<Event<T>, Stop> {
        loop {
            self.renew_in_time().await?;
            let deaf = self.auto && self.terminal.has_ended();
            let ask = async {
                tokio::time::sleep(self.poll).await;
                request(&self.player).await
            };
            let answer = tokio::select! {
                line = self.terminal.line(), if !deaf => match line {
                    // Automatic play needs no input.
                    Err(Stop::Quit) if self.auto => continue,
                    line => return line.map(Event::Line),
                },
                answer = ask => answer,
            };
            match answer {
                Err(Failure::Unanswered(why)) => self.silence(&why)?,
                Err(Failure::LoggedOut) => self.renew().await?,
                answer => {
                    self.hear()?;
                    return Ok(Event::News(answer?));
                }
            }
        }
    }

    /// Waits for a line, and polls every few seconds whether the match has changed.
    pub(crate) async fn wait(
        &mut self,
        view: &View,
        tag: &mut Option<Tag>,
    ) -> Result<Event<Box<View>>, Stop> {
        loop {
            let known = tag.clone();
            let look = async |player: &Player| player.look(view.match_id, view.version, known.as_ref()).await;
            match self.listen(look).await? {
                Event::Line(line) => return Ok(Event::Line(line)),
                Event::News(Look::Same) => {}
                Event::News(Look::New(new, new_tag)) => {
                    *tag = new_tag;
                    let dedication =
                        |view: &View| view.table.as_ref().is_some_and(|table| table.dedication.is_some());
                    if new.version != view.version || dedication(&new) != dedication(view) {
                        return Ok(Event::News(new));
                    }
                }
            }
        }
    }

    /// Reports once that the service does not answer.
    pub(crate) fn silence(&mut self, why: &str) -> Result<(), Stop> {
        if !std::mem::replace(&mut self.silent, true) {
            let url = self.server().url().to_owned();
            let text = format!(
                "No answer from {url} ({why}). I keep trying. Nothing gets lost, and nothing is done twice."
            );
            self.terminal.say(&text)?;
        }
        Ok(())
    }

    /// Reports that the service answers again.
    fn hear(&mut self) -> Result<(), Stop> {
        if std::mem::take(&mut self.silent) {
            self.terminal.say("The service answers again.")?;
        }
        Ok(())
    }

    /// The last version that this player has seen of a match, in this run or an earlier one.
    pub(crate) fn seen(&self, id: Uuid) -> Option<NonZeroU32> {
        self.memory.seen(self.server().url(), &self.name, id)
    }

    /// Stores the last version seen.
    pub(crate) fn keep_seen(&mut self, id: Uuid, version: NonZeroU32) {
        let url = self.server().url().to_owned();
        self.memory.keep_seen(&url, &self.name, id, version);
    }
}
