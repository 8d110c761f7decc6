-- The decisions about a match go with it.
CREATE INDEX CONCURRENTLY IF NOT EXISTS moderation_decisions_match_id_idx ON moderation_decisions (match_id)
    WHERE match_id IS NOT NULL;
