-- A moderator who is deleted is removed from the decisions.
CREATE INDEX CONCURRENTLY IF NOT EXISTS moderation_decisions_moderator_id_idx ON moderation_decisions (moderator_id)
    WHERE moderator_id IS NOT NULL;
