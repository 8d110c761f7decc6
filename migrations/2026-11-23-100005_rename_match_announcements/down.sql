DROP VIEW match_announcements;
ALTER TABLE notification_positions RENAME TO match_announcements;
