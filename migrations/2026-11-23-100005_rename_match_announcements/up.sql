-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
ALTER TABLE match_announcements RENAME TO notification_positions;
CREATE VIEW match_announcements AS SELECT * FROM notification_positions;
COMMENT ON VIEW match_announcements IS 'For instances of the release before.';
