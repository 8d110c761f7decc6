//! Durations in words, and who a match waits for. Deadlines will be shown here, too.

use chrono::{DateTime, Utc};
use yaniv_client::View;
use yaniv_client::types::MatchSummary;

/// Shorter durations are not printed as numbers.
const SHORT: &str = "a moment";

/// The players that a running match waits for, and since when. Empty if it waits for none.
pub(crate) fn pressure(view: &View) -> String {
    let Some(table) = &view.table else { return String::new() };
    let acting = || view.seats.iter().filter(|one| table.to_act.contains(&one.seat));
    let since = acting().filter_map(|seat| seat.waiting_since).min();
    let names: Vec<&str> = acting()
        .map(|seat| if Some(seat.seat) == view.your_seat { "you" } else { &**seat.username })
        .collect();
    waits(&names, since.unwrap_or(view.server_time), view.server_time)
}

/// The same for a row of the list.
pub(crate) fn pressure_in_short(summary: &MatchSummary, now: DateTime<Utc>) -> String {
    let seats = summary.seats.iter().filter(|seat| summary.to_act.contains(&seat.seat));
    let names: Vec<&str> = seats
        .map(|seat| if Some(seat.seat) == summary.your_seat { "you" } else { &**seat.username })
        .collect();
    waits(&names, summary.updated_at, now)
}

/// A duration in words.
pub(crate) fn duration(from: DateTime<Utc>, to: DateTime<Utc>) -> String {
    let seconds = (to - from).num_seconds().max(0);
    let (count, unit) = match seconds {
        0..=9 => return SHORT.to_owned(),
        10..=89 => (seconds, "second"),
        90..=5_399 => (seconds / 60, "minute"),
        5_400..=172_799 => (seconds / 3_600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let count = count.max(1);
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

fn waits(names: &[&str], since: DateTime<Utc>, now: DateTime<Utc>) -> String {
    if names.is_empty() {
        return String::new();
    }
    // Deadlines will be shown here.
    let long = duration(since, now);
    let long = if long == SHORT { String::new() } else { format!(" (for {long} now)") };
    match names {
        ["you"] => format!("Your turn{long}."),
        names => format!("Waiting for {}{long}.", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn durations_are_told_in_one_unit() {
        let told = |seconds| {
            let now = Utc::now();
            duration(now - TimeDelta::seconds(seconds), now)
        };
        assert_eq!(told(-5), "a moment");
        assert_eq!(told(30), "30 seconds");
        assert_eq!(told(100), "1 minute");
        assert_eq!(told(7_300), "2 hours");
        assert_eq!(told(200_000), "2 days");
    }
}
