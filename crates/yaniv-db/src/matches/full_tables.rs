//! Full tables: matches whose seats are all taken, before the start.

/// SQL condition: whether a row `o` of `seats` is the host's in a match whose seats are all taken. The caller checks
/// that the match has not started.
///
/// The host is the first in joining order that is not a house bot; before the start, `seat` is that order.
pub const HOST_OF_FULL: &str = "((SELECT count(*) FROM seats y WHERE y.match_id = o.match_id) \
     >= (SELECT z.size FROM matches z WHERE z.id = o.match_id) \
     AND NOT EXISTS (SELECT 1 FROM seats y JOIN accounts b ON b.id = y.account_id \
         WHERE y.match_id = o.match_id AND y.seat < o.seat AND b.level IS NULL))";
