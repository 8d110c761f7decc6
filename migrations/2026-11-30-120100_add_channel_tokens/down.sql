ALTER TABLE channels DROP COLUMN token_id;
