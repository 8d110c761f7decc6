-- The queue of the archiver.
CREATE INDEX CONCURRENTLY IF NOT EXISTS matches_to_archive_idx ON matches (finished_at)
    WHERE finished_at IS NOT NULL AND archived_at IS NULL;
