//! Reads record files: one JSON record, one or more in the compact form, or JSON lines. The format is
//! detected from the beginning; one record is in memory at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use serde::de::IgnoredAny;
use yaniv_engine::Record;

/// Maximum size of a record, in bytes: some ten times the longest match.
const LARGEST_RECORD: u64 = 256 << 20;

/// A record of a file, or a parse error.
pub(super) struct Found {
    /// Line where it begins, if the file can hold several records.
    pub(super) line: Option<usize>,
    /// The record.
    pub(super) record: Result<Record, String>,
}

/// Reader of the records of a file, in order.
pub(super) struct RecordFile {
    input: Box<dyn BufRead>,
    /// Number of lines read.
    lines: usize,
    form: Form,
}

enum Form {
    /// Nothing read yet.
    Unknown,
    /// JSON lines: one record per line.
    Lines,
    /// Compact form; the first line of the next record has been read.
    Text,
    /// End of the file.
    Over,
}

impl RecordFile {
    /// Opens a file; - is the standard input.
    ///
    /// # Errors
    /// A message why it cannot be read.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        let input: Box<dyn BufRead> = if path == Path::new("-") {
            Box::new(BufReader::new(io::stdin()))
        } else {
            Box::new(BufReader::new(File::open(path).map_err(unreadable)?))
        };
        Ok(Self { input, lines: 0, form: Form::Unknown })
    }

    /// The next record; none at the end.
    ///
    /// # Errors
    /// A message why the file cannot be read any further.
    pub(super) fn next(&mut self) -> Result<Option<Found>, String> {
        match std::mem::replace(&mut self.form, Form::Over) {
            Form::Unknown => self.first().map(Some),
            Form::Lines => self.line(),
            Form::Text => self.text(false).map(Some),
            Form::Over => Ok(None),
        }
    }

    fn first(&mut self) -> Result<Found, String> {
        let mut line = Vec::new();
        self.read_line(&mut line)?;
        if is_header(&line) {
            return self.text(true);
        }
        let begun = serde_json::from_slice::<IgnoredAny>(&line).is_err_and(|error| error.is_eof());
        if begun {
            // A single record over several lines.
            self.input.by_ref().take(LARGEST_RECORD + 1).read_to_end(&mut line).map_err(unreadable)?;
            return Ok(Found { line: None, record: check_size(&line).and_then(|()| from_json(&line)) });
        }
        let line_number = self.more_follows()?.then_some(1);
        if line_number.is_some() {
            self.form = Form::Lines;
        }
        Ok(Found { line: line_number, record: check_size(&line).and_then(|()| from_json(&line)) })
    }

    fn line(&mut self) -> Result<Option<Found>, String> {
        let mut line = Vec::new();
        while self.read_line(&mut line)? {
            if !line.trim_ascii().is_empty() {
                self.form = Form::Lines;
                let record = check_size(&line).and_then(|()| from_json(&line));
                return Ok(Some(Found { line: Some(self.lines), record }));
            }
            line.clear();
        }
        Ok(None)
    }

    /// Reads a record in the compact form, up to its end or the beginning of the next.
    fn text(&mut self, first: bool) -> Result<Found, String> {
        let begins = self.lines;
        let mut text = format!("{}\n", Record::TEXT_FORMAT).into_bytes();
        let mut line = Vec::new();
        while self.read_line(&mut line)? {
            if is_header(&line) {
                self.form = Form::Text;
                break;
            }
            text.append(&mut line);
            check_size(&text)?;
        }
        let alone = first && !matches!(self.form, Form::Text);
        let record = String::from_utf8(text)
            .map_err(|error| error.to_string())
            .and_then(|text| Record::from_text(&text).map_err(|error| error.to_string()))
            .map_err(|reason| format!("is no record: {reason}"));
        Ok(Found { line: (!alone).then_some(begins), record })
    }

    /// Appends the next line with its line break; returns whether there was one. A line that is too long is
    /// read partially.
    fn read_line(&mut self, line: &mut Vec<u8>) -> Result<bool, String> {
        let read =
            self.input.by_ref().take(LARGEST_RECORD + 1).read_until(b'\n', line).map_err(unreadable)?;
        self.lines += usize::from(read > 0);
        Ok(read > 0)
    }

    fn more_follows(&mut self) -> Result<bool, String> {
        Ok(!self.input.fill_buf().map_err(unreadable)?.is_empty())
    }
}

fn is_header(line: &[u8]) -> bool {
    line.trim_ascii_end() == Record::TEXT_FORMAT.as_bytes()
}

fn unreadable(error: io::Error) -> String {
    format!("cannot be read: {error}")
}

fn check_size(text: &[u8]) -> Result<(), String> {
    if u64::try_from(text.len()).is_ok_and(|length| length <= LARGEST_RECORD) {
        return Ok(());
    }
    Err(format!("is no record: larger than {LARGEST_RECORD} bytes"))
}

fn from_json(text: &[u8]) -> Result<Record, String> {
    let json = &mut serde_json::Deserializer::from_slice(text);
    let record =
        serde_path_to_error::deserialize(&mut *json).map_err(|error| match error.path().to_string() {
            path if path == "." => format!("is no record: {}", error.inner()),
            path => format!("is no record: {path}: {}", error.inner()),
        })?;
    json.end().map_err(|error| format!("is no record: {error}"))?;
    Ok(record)
}
