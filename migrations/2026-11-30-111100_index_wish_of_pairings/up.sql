-- Pairing criteria that no request has are deleted.
CREATE INDEX CONCURRENTLY IF NOT EXISTS pairings_wish_id_idx ON pairings (wish_id);
