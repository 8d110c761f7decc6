-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
ALTER TABLE wishes RENAME TO pairing_criteria;
CREATE VIEW wishes AS SELECT * FROM pairing_criteria;
COMMENT ON VIEW wishes IS 'For instances of the release before.';
