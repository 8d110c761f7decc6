DROP INDEX seats_closed_idx;
DROP INDEX seats_open_idx;
ALTER TABLE seats DROP COLUMN closed_at;
