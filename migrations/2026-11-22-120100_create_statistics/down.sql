DROP TABLE activity;
DROP TABLE service_totals;
DROP TABLE totals;
DROP TABLE tallies;
DROP INDEX rounds_uncounted_idx;
ALTER TABLE rounds DROP COLUMN counted_at;
