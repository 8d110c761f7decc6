//! Session renewal: the access token is refreshed shortly before it expires or when it is refused; the password is
//! asked for only if the session has ended.

use chrono::{TimeDelta, Utc};
use yaniv_client::types::Session;
use yaniv_client::{Failure, Player};

use crate::Stop;
use crate::account::memory::{LogIn, Tokens};
use crate::account::player::Guest;

/// How long before its expiry an access token is refreshed.
const MARGIN: TimeDelta = TimeDelta::seconds(60);

impl Guest {
    /// Refreshes the access token if it is about to expire.
    pub(crate) async fn renew_in_time(&mut self) -> Result<(), Stop> {
        if self.tokens.expires_at > Utc::now() + MARGIN { Ok(()) } else { self.renew().await }
    }

    /// Gets a new access token, if necessary with the password.
    pub(crate) async fn renew(&mut self) -> Result<(), Stop> {
        if self.refresh().await? { Ok(()) } else { self.log_in_again().await }
    }

    /// Refreshes the access token without asking; false if the session has ended.
    async fn refresh(&mut self) -> Result<bool, Stop> {
        loop {
            let alone = self.memory.alone().await;
            let (url, had) = (self.server().url().to_owned(), self.tokens.clone());
            if let Some(log_in) = self.memory.newer(&url, &self.name, &had) {
                self.follow(log_in)?;
                // Another terminal has stored a valid token. If the service refuses that, too, the next call refreshes
                // it.
                if self.tokens.expires_at > Utc::now() + MARGIN {
                    return Ok(true);
                }
            }
            let refresh_token = self.tokens.refresh_token.clone();
            match self.server().refresh(&refresh_token).await {
                Ok(session) => {
                    self.take(&session)?;
                    return Ok(true);
                }
                Err(Failure::Unanswered(why)) => {
                    // Release the lock: another terminal may have a better network.
                    drop(alone);
                    self.silence(&why)?;
                }
                Err(Failure::LoggedOut | Failure::Refused(_) | Failure::Mismatch(_)) => {
                    // Without the lock, another terminal may have been faster.
                    let sent = self.tokens.clone();
                    match self.memory.newer(&url, &self.name, &sent) {
                        Some(log_in) => self.follow(log_in)?,
                        None => return Ok(false),
                    }
                }
            }
        }
    }

    /// Logs in again with the password.
    async fn log_in_again(&mut self) -> Result<(), Stop> {
        let url = self.server().url().to_owned();
        let forgotten = self.memory.forget(&url, &self.name, &self.tokens);
        self.complain(forgotten)?;
        if self.unnamed {
            self.terminal.say(
                "This guest's session has ended, and without it nobody can be this guest.\n\
                 To play as another:  yaniv play --guest",
            )?;
            return Err(Stop::Quit);
        }
        self.terminal.say("Your log-in has ended.")?;
        loop {
            let password = self.terminal.password(&format!("Password of {}:", self.name)).await?;
            let device = self.memory.device_token(&url, &self.name);
            let session = loop {
                match self.server().log_in_on(&self.name, &password, device.as_deref()).await {
                    Err(Failure::Unanswered(why)) => self.silence(&why)?,
                    answer => break answer,
                }
            };
            match session {
                Ok(session) => return self.take(&session),
                Err(failure @ (Failure::Refused(_) | Failure::Mismatch(_))) => {
                    self.terminal.say(&format!("Not accepted: {failure}."))?;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
    }

    /// Ends the session, here and at the service.
    pub(crate) async fn log_out(&mut self) -> Result<(), Stop> {
        loop {
            match self.player.log_out().await {
                Ok(()) => break,
                Err(Failure::Unanswered(why)) => self.silence(&why)?,
                // The session has expired, or the log-out succeeded and its answer was lost.
                Err(Failure::LoggedOut) => {
                    if !self.refresh().await? {
                        break;
                    }
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        let url = self.server().url().to_owned();
        let forgotten = self.memory.forget(&url, &self.name, &self.tokens);
        self.complain(forgotten)
    }

    /// Takes over new tokens, and stores them before they are used.
    fn take(&mut self, session: &Session) -> Result<(), Stop> {
        let url = self.server().url().to_owned();
        self.tokens = Tokens::of(session);
        let kept = self.memory.keep(&url, session, &self.tokens);
        self.name = session.account.username.to_string();
        self.unnamed = session.account.guest.unwrap_or(false);
        self.player = Player::new(self.player.server(), &session.access_token)?;
        self.complain(kept)
    }

    /// Continues with the tokens that another terminal has stored.
    fn follow(&mut self, log_in: LogIn) -> Result<(), Stop> {
        if let Some(tokens) = log_in.tokens {
            self.player = Player::new(self.player.server(), &tokens.access_token)?;
            self.tokens = tokens;
            self.name = log_in.name;
            self.unnamed = log_in.guest;
        }
        Ok(())
    }

    /// The guest account was claimed under this name.
    pub(crate) fn is_named(&mut self, name: &str) -> Result<(), Stop> {
        let url = self.server().url().to_owned();
        let renamed = self.memory.rename(&url, &self.name, name);
        name.clone_into(&mut self.name);
        self.unnamed = false;
        self.complain(renamed)
    }

    /// Reports once that the state cannot be stored, which does not end the program.
    pub(crate) fn complain(&mut self, written: std::io::Result<()>) -> Result<(), Stop> {
        if let Err(error) = written
            && !std::mem::replace(&mut self.complained, true)
        {
            self.terminal.say(&format!(
                "Your log-in cannot be kept for the next time ({error}); --state FILE names another place."
            ))?;
        }
        Ok(())
    }
}
