//! Line input and output. Text can be printed while a line is awaited; it replaces the prompt.

use std::io::{self, IsTerminal, Write, stdin, stdout};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::Stop;
use crate::screen::paint::Paint;

/// The terminal, or pipes instead.
pub(crate) struct Terminal {
    /// Formatting of its output.
    pub(crate) paint: Paint,
    wanted: Sender<()>,
    lines: UnboundedReceiver<io::Result<String>>,
    asked: bool,
    ended: bool,
    prompt: Option<String>,
    typed_by_hand: bool,
    shown_to_eyes: bool,
}

impl Terminal {
    /// Standard input and output. Nothing is read before the first request for a line.
    pub(crate) fn new() -> Self {
        let (wanted, wishes) = channel();
        let (sender, lines) = unbounded_channel();
        thread::spawn(move || {
            while wishes.recv().is_ok() {
                let mut line = String::new();
                let read = stdin().read_line(&mut line);
                let end = !matches!(read, Ok(length) if length > 0);
                if end || sender.send(Ok(line)).is_err() {
                    return;
                }
            }
        });
        Self {
            paint: Paint::of_terminal(),
            wanted,
            lines,
            asked: false,
            ended: false,
            prompt: None,
            typed_by_hand: stdin().is_terminal(),
            shown_to_eyes: stdout().is_terminal(),
        }
    }

    /// Prints a text of one or more lines, in place of the prompt.
    pub(crate) fn say(&mut self, text: &str) -> io::Result<()> {
        let mut output = stdout().lock();
        if self.prompt.take().is_some() {
            output.write_all(if self.shown_to_eyes { b"\r\x1b[K" } else { b"\n" })?;
        }
        writeln!(output, "{}", text.trim_end())?;
        output.flush()
    }

    /// Shows a prompt, unless it is shown already.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        if self.prompt.as_deref() == Some(text) {
            return Ok(());
        }
        let mut output = stdout().lock();
        if self.prompt.is_some() {
            output.write_all(if self.shown_to_eyes { b"\r\x1b[K" } else { b"\n" })?;
        }
        write!(output, "{text} ")?;
        self.prompt = Some(text.to_owned());
        output.flush()
    }

    /// The next line, trimmed; [`Stop::Quit`] at the end of the input. Cancellation-safe: no line is lost.
    pub(crate) async fn line(&mut self) -> Result<String, Stop> {
        if !self.asked && !self.ended {
            self.ended = self.wanted.send(()).is_err();
            self.asked = !self.ended;
        }
        let line = if self.ended { None } else { self.lines.recv().await };
        self.asked = false;
        let Some(line) = line.and_then(Result::ok) else {
            self.ended = true;
            return Err(Stop::Quit);
        };
        if self.prompt.take().is_some() && !self.typed_by_hand {
            writeln!(stdout())?;
        }
        Ok(line.trim().to_owned())
    }

    /// Shows a prompt and waits for the answer.
    pub(crate) async fn ask(&mut self, prompt: &str) -> Result<String, Stop> {
        self.prompt(prompt)?;
        self.line().await
    }

    /// Asks for yes or no; Enter is yes.
    pub(crate) async fn confirm(&mut self, prompt: &str) -> Result<bool, Stop> {
        loop {
            match self.ask(&format!("{prompt} [Y/n]")).await?.to_lowercase().as_str() {
                "" | "y" | "yes" => return Ok(true),
                "n" | "no" => return Ok(false),
                _ => self.say("Please answer y or n.")?,
            }
        }
    }

    /// Asks for a password, without echo.
    pub(crate) async fn password(&mut self, prompt: &str) -> Result<String, Stop> {
        if !self.typed_by_hand {
            return self.ask(prompt).await;
        }
        if self.asked {
            // Another thread already reads, with echo: that has to end first.
            self.ask("Press Enter.").await?;
        }
        self.prompt = None;
        Ok(rpassword::prompt_password(format!("{prompt} "))?)
    }

    /// Whether the input has ended.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }
}
