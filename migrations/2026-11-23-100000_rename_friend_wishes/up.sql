-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
ALTER TABLE friend_wishes RENAME TO friend_requests;
CREATE VIEW friend_wishes AS SELECT * FROM friend_requests;
COMMENT ON VIEW friend_wishes IS 'For instances of the release before.';
