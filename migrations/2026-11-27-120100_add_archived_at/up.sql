-- Which matches are archived.
ALTER TABLE matches ADD COLUMN archived_at timestamptz;
COMMENT ON COLUMN matches.archived_at IS 'When its log was moved to archived_logs; null: it is in actions and rounds.';
