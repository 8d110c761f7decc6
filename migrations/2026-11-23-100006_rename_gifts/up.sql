-- The table gets the name that the code uses. The view serves instances of the release before; it is dropped in a later release.
ALTER TABLE gifts RENAME TO dedications;
CREATE VIEW gifts AS SELECT * FROM dedications;
COMMENT ON VIEW gifts IS 'For instances of the release before.';
