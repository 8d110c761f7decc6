//! What has happened in a match that somebody is to be told: a function of its log and of whom it waits for.

use uuid::Uuid;

use super::announce::Event;
use super::kinds::Kind;
use crate::store::actions::{ActionRow, FLAG_ENDED_MATCH, FLAG_ENDED_ROUND};
use crate::store::match_announcements::{Announcing, Seated};

/// Flags of actions that nobody has made with their own hands: played for an absent player, by a bot, by an order.
const BY_ITSELF: i16 = 8 | 16 | 32;

/// Whether one of these entries ends a round, and not the match with it.
pub(super) fn ends_round(entries: &[ActionRow]) -> bool {
    entries.iter().any(|entry| kind_of(entry) == Some(Kind::RoundOver))
}

/// What an entry is told as, if it ends something.
fn kind_of(entry: &ActionRow) -> Option<Kind> {
    match entry.flags {
        _ if !entry.is_action() => None,
        flags if flags & FLAG_ENDED_MATCH != 0 => Some(Kind::MatchOver),
        flags if flags & FLAG_ENDED_ROUND != 0 => Some(Kind::RoundOver),
        _ => None,
    }
}

/// The events of entries that have not been told. Who has ended something knows. For those who are out nothing is played
/// any more, nor with their own hands for those whose seat a bot holds: they are told of the end only.
pub(super) fn events(
    id: Uuid,
    standing: &Announcing,
    seated: &[Seated],
    out: &[i16],
    entries: &[ActionRow],
) -> Vec<Event> {
    let plays = |seated: &Seated| !seated.held && !out.contains(&seated.seat);
    let mut events = Vec::new();
    for (entry, kind) in entries.iter().filter_map(|entry| Some((entry, kind_of(entry)?))) {
        let knows = entry.seat.filter(|_| entry.flags & BY_ITSELF == 0);
        let others = seated.iter().filter(|seated| Some(seated.seat) != knows);
        let told = others.filter(|seated| kind == Kind::MatchOver || plays(seated));
        events.extend(
            told.map(|seated| Event::of_match(kind, seated.account_id, (id, entry.version), entry.at)),
        );
    }
    let Some(last) = entries.last().filter(|_| standing.running) else { return events };
    for seated in seated.iter().filter(|seated| plays(seated)) {
        if bit(standing.waiting_on, seated.seat) && is_new(standing, seated.seat, entries) {
            events.push(Event::of_match(Kind::YourTurn, seated.account_id, (id, standing.version), last.at));
        }
    }
    events
}

/// Whether the match began to wait for a seat by these entries: it did not before, or the seat has acted since, or the
/// wait before ended with its round.
fn is_new(standing: &Announcing, seat: i16, entries: &[ActionRow]) -> bool {
    let ends = |entry: &ActionRow| entry.seat == Some(seat) || entry.flags & FLAG_ENDED_ROUND != 0;
    !bit(standing.waited_on, seat) || entries.iter().any(|entry| entry.is_action() && ends(entry))
}

fn bit(bits: i16, seat: i16) -> bool {
    u32::try_from(seat).is_ok_and(|seat| bits.checked_shr(seat).is_some_and(|bits| bits & 1 == 1))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;

    fn entry(version: i32, seat: i16, flags: i16) -> ActionRow {
        ActionRow {
            match_id: Uuid::nil(),
            at: DateTime::from_timestamp(i64::from(version), 0).unwrap(),
            key_hash: None,
            fingerprint: None,
            version,
            round: 1,
            flags,
            seat: Some(seat),
            kind: b'a',
            account_id: None,
            detail: String::new(),
            drew: None,
        }
    }

    fn told(
        waited_on: i16,
        waiting_on: i16,
        running: bool,
        entries: &[ActionRow],
    ) -> Vec<(&'static str, u128)> {
        let version = entries.last().unwrap().version;
        let standing = Announcing { told: 0, waited_on, version, waiting_on, running, ordered: false };
        let events = events(Uuid::nil(), &standing, &seated(), &[], entries);
        named(&events)
    }

    fn seated() -> [Seated; 3] {
        [0, 1, 2].map(|seat: i16| {
            let account_id = Uuid::from_u128(u128::try_from(10 + seat).unwrap());
            Seated { account_id, seat, held: false }
        })
    }

    fn named(events: &[Event]) -> Vec<(&'static str, u128)> {
        events.iter().map(|event| (event.kind.name(), event.account.as_u128())).collect()
    }

    #[test]
    fn whoever_is_waited_for_anew_is_told() {
        assert_eq!(told(0b001, 0b010, true, &[entry(5, 0, 0)]), [("your_turn", 11)]);
        // Still waited for, as before: others have answered.
        assert_eq!(told(0b110, 0b100, true, &[entry(5, 1, 0)]), []);
        // Waited for again, after having played.
        let around = [entry(5, 0, 0), entry(6, 1, 0), entry(7, 2, 0)];
        assert_eq!(told(0b001, 0b001, true, &around), [("your_turn", 10)]);
        // Several at once.
        assert_eq!(told(0b001, 0b110, true, &[entry(5, 0, 0)]), [("your_turn", 11), ("your_turn", 12)]);
    }

    #[test]
    fn whoever_ends_something_is_not_told_unless_it_was_done_for_them() {
        let ended = told(0b001, 0b001, true, &[entry(5, 0, FLAG_ENDED_ROUND)]);
        assert_eq!(ended, [("round_over", 11), ("round_over", 12), ("your_turn", 10)]);
        let over = told(0b001, 0, false, &[entry(5, 0, FLAG_ENDED_ROUND | FLAG_ENDED_MATCH)]);
        assert_eq!(over, [("match_over", 11), ("match_over", 12)]);
        let over = told(0b001, 0, false, &[entry(5, 0, FLAG_ENDED_MATCH | 8)]);
        assert_eq!(over.len(), 3);
    }

    #[test]
    fn whoever_is_out_or_has_a_bot_on_the_seat_is_told_of_the_end_alone() {
        let standing = Announcing {
            told: 0,
            waited_on: 0,
            version: 5,
            waiting_on: 0b101,
            running: true,
            ordered: false,
        };
        let mut seated = seated();
        seated[2].held = true;
        let round = [entry(5, 0, FLAG_ENDED_ROUND | 8)];
        assert!(ends_round(&round));
        let told = events(Uuid::nil(), &standing, &seated, &[1], &round);
        assert_eq!(named(&told), [("round_over", 10), ("your_turn", 10)]);
        let over = [entry(5, 0, FLAG_ENDED_ROUND | FLAG_ENDED_MATCH)];
        assert!(!ends_round(&over));
        let told = events(Uuid::nil(), &Announcing { running: false, ..standing }, &seated, &[1], &over);
        assert_eq!(named(&told), [("match_over", 11), ("match_over", 12)]);
    }
}
