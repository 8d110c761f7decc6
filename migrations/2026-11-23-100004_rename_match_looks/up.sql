-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
-- With ctid, by which they delete rows in batches.
ALTER TABLE match_looks RENAME TO match_last_seen;
CREATE VIEW match_looks AS SELECT ctid, * FROM match_last_seen;
COMMENT ON VIEW match_looks IS 'For instances of the release before.';
