//! Notification events of a match: a pure function of its log and of the seats that have to act. Storing them
//! is in `enqueue`.

use uuid::Uuid;
use yaniv_db::notifications::scan_positions::{Announcing, Seated};
use yaniv_match::event::{ActionEvent, LoggedEvent};
use yaniv_match::origin::ActionOrigin;

use crate::notifications::channels::kinds::Kind;
use crate::notifications::outbox::enqueue::Event;

/// Whether one of these entries ends a round but not the match.
pub(crate) fn ends_round(entries: &[LoggedEvent]) -> bool {
    entries.iter().any(|entry| kind_of(entry) == Some(Kind::RoundOver))
}

/// The kind of notification for an entry that ends a round or the match.
fn kind_of(entry: &LoggedEvent) -> Option<Kind> {
    match entry.action()? {
        action if action.ended_match => Some(Kind::MatchOver),
        action if action.ended_round => Some(Kind::RoundOver),
        _ => None,
    }
}

/// The notification events of log entries that were not scanned before.
///
/// The acting player is not notified. Eliminated players, and players whose seat a bot holds, are notified of
/// the match's end only.
pub(crate) fn events(
    id: Uuid,
    standing: &Announcing,
    seated: &[Seated],
    out: &[i16],
    entries: &[LoggedEvent],
) -> Vec<Event> {
    let plays = |seated: &Seated| !seated.held && !out.contains(&seated.seat);
    let mut events = Vec::new();
    for (entry, kind) in entries.iter().filter_map(|entry| Some((entry, kind_of(entry)?))) {
        let by_player = entry.action().filter(|action| action.origin == ActionOrigin::Player);
        let knows = by_player.map(|action| i16::from(action.seat.number()));
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

/// Whether the match began to wait for a seat with these entries: it did not before, or the seat has acted
/// since, or the previous wait ended with its round.
fn is_new(standing: &Announcing, seat: i16, entries: &[LoggedEvent]) -> bool {
    let ends = |action: &ActionEvent| i16::from(action.seat.number()) == seat || action.ended_round;
    !bit(standing.waited_on, seat) || entries.iter().filter_map(LoggedEvent::action).any(ends)
}

fn bit(bits: i16, seat: i16) -> bool {
    u32::try_from(seat).is_ok_and(|seat| bits.checked_shr(seat).is_some_and(|bits| bits & 1 == 1))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use yaniv_engine::{Action, Seat};
    use yaniv_match::event::LogEvent;

    use super::*;

    /// A turn of a seat.
    fn entry(version: i32, seat: u8) -> LoggedEvent {
        let action = ActionEvent {
            seat: Seat::new(seat),
            action: Action::Stay,
            origin: ActionOrigin::Player,
            drew: Vec::new(),
            outcome: None,
            recycled: false,
            ended_round: false,
            ended_match: false,
        };
        let at = DateTime::from_timestamp(i64::from(version), 0).unwrap();
        LoggedEvent { version, at, round: 1, event: LogEvent::Action(action) }
    }

    /// A turn of a seat that ended the round, or also the match.
    fn end(version: i32, seat: u8, ended_match: bool, origin: ActionOrigin) -> LoggedEvent {
        let mut entry = entry(version, seat);
        if let LogEvent::Action(action) = &mut entry.event {
            *action = ActionEvent { ended_round: true, ended_match, origin, ..action.clone() };
        }
        entry
    }

    fn told(
        waited_on: i16,
        waiting_on: i16,
        running: bool,
        entries: &[LoggedEvent],
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
    fn a_player_whose_turn_starts_is_notified() {
        assert_eq!(told(0b001, 0b010, true, &[entry(5, 0)]), [("your_turn", 11)]);
        // The match still waits for the seat: other players have answered.
        assert_eq!(told(0b110, 0b100, true, &[entry(5, 1)]), []);
        // The match waits for the seat again after it has played.
        let around = [entry(5, 0), entry(6, 1), entry(7, 2)];
        assert_eq!(told(0b001, 0b001, true, &around), [("your_turn", 10)]);
        // Several at once.
        assert_eq!(told(0b001, 0b110, true, &[entry(5, 0)]), [("your_turn", 11), ("your_turn", 12)]);
    }

    #[test]
    fn the_acting_player_is_not_notified_unless_a_timeout_acted() {
        let ended = told(0b001, 0b001, true, &[end(5, 0, false, ActionOrigin::Player)]);
        assert_eq!(ended, [("round_over", 11), ("round_over", 12), ("your_turn", 10)]);
        let over = told(0b001, 0, false, &[end(5, 0, true, ActionOrigin::Player)]);
        assert_eq!(over, [("match_over", 11), ("match_over", 12)]);
        let over = told(0b001, 0, false, &[end(5, 0, true, ActionOrigin::Missed)]);
        assert_eq!(over.len(), 3);
    }

    #[test]
    fn eliminated_or_replaced_players_are_notified_of_the_end_only() {
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
        let round = [end(5, 0, false, ActionOrigin::Missed)];
        assert!(ends_round(&round));
        let told = events(Uuid::nil(), &standing, &seated, &[1], &round);
        assert_eq!(named(&told), [("round_over", 10), ("your_turn", 10)]);
        let over = [end(5, 0, true, ActionOrigin::Player)];
        assert!(!ends_round(&over));
        let told = events(Uuid::nil(), &Announcing { running: false, ..standing }, &seated, &[1], &over);
        assert_eq!(named(&told), [("match_over", 11), ("match_over", 12)]);
    }
}
