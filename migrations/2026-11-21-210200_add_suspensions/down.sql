ALTER TABLE accounts DROP COLUMN suspended_at, DROP COLUMN suspended_until, DROP COLUMN suspension_reason;
