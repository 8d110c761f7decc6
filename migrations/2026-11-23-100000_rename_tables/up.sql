-- Tables get the names that the code uses. The views serve instances of the release before; they are dropped in a later release.

ALTER TABLE gifts RENAME TO dedications;
CREATE VIEW gifts AS SELECT * FROM dedications;
COMMENT ON VIEW gifts IS 'For instances of the release before.';
ALTER TABLE wishes RENAME TO pairing_criteria;
CREATE VIEW wishes AS SELECT * FROM pairing_criteria;
COMMENT ON VIEW wishes IS 'For instances of the release before.';
ALTER TABLE friend_wishes RENAME TO friend_requests;
CREATE VIEW friend_wishes AS SELECT * FROM friend_requests;
COMMENT ON VIEW friend_wishes IS 'For instances of the release before.';
ALTER TABLE tallies RENAME TO match_player_stats;
CREATE VIEW tallies AS SELECT * FROM match_player_stats;
COMMENT ON VIEW tallies IS 'For instances of the release before.';
ALTER TABLE totals RENAME TO player_stats;
CREATE VIEW totals AS SELECT * FROM player_stats;
COMMENT ON VIEW totals IS 'For instances of the release before.';
ALTER TABLE match_looks RENAME TO match_last_seen;
CREATE VIEW match_looks AS SELECT * FROM match_last_seen;
COMMENT ON VIEW match_looks IS 'For instances of the release before.';
ALTER TABLE match_announcements RENAME TO notification_positions;
CREATE VIEW match_announcements AS SELECT * FROM notification_positions;
COMMENT ON VIEW match_announcements IS 'For instances of the release before.';
