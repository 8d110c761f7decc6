DROP INDEX CONCURRENTLY IF EXISTS challenges_challenger_id_idx;
