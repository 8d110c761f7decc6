DROP INDEX CONCURRENTLY IF EXISTS matches_to_archive_idx;
