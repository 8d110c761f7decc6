DROP INDEX CONCURRENTLY IF EXISTS channels_email_address_idx;
