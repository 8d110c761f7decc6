-- When the clocks of players stand: their quiet hours, and their vacations (docs/decisions/0014).

CREATE TABLE quiet_hours (
    account_id  uuid     CONSTRAINT quiet_hours_pkey PRIMARY KEY
                         CONSTRAINT quiet_hours_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    time_zone   text     NOT NULL,
    from_minute smallint NOT NULL CONSTRAINT quiet_hours_from_minute_check CHECK (from_minute BETWEEN 0 AND 1439),
    to_minute   smallint NOT NULL CONSTRAINT quiet_hours_to_minute_check CHECK (to_minute BETWEEN 0 AND 1439)
);
COMMENT ON TABLE quiet_hours IS 'A daily span in which a player''s clock stands, for waits that begin from now on.';
COMMENT ON COLUMN quiet_hours.account_id IS 'Whose.';
COMMENT ON COLUMN quiet_hours.time_zone IS 'Whose wall is looked at: a name of the IANA database.';
COMMENT ON COLUMN quiet_hours.from_minute IS 'The minute of the day at which they begin.';
COMMENT ON COLUMN quiet_hours.to_minute IS 'The minute of the day at which they are over, perhaps on the next day.';

CREATE TABLE vacations (
    id             uuid        CONSTRAINT vacations_pkey PRIMARY KEY,
    account_id     uuid        NOT NULL CONSTRAINT vacations_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    time_zone      text        NOT NULL,
    first_day      date        NOT NULL,
    last_day       date        NOT NULL,
    begins_at      timestamptz NOT NULL,
    ends_at        timestamptz NOT NULL,
    announced_at   timestamptz NOT NULL,
    cancelled_at   timestamptz,
    left_last_day  date,
    left_ends_at   timestamptz,
    key_hash       bigint,
    fingerprint    integer,
    CONSTRAINT vacations_days_check CHECK (first_day <= last_day AND begins_at < ends_at),
    CONSTRAINT vacations_left_check CHECK ((left_last_day IS NULL) = (left_ends_at IS NULL) AND (left_last_day IS NULL OR cancelled_at IS NOT NULL)),
    CONSTRAINT vacations_key_check CHECK ((key_hash IS NULL) = (fingerprint IS NULL))
);
CREATE INDEX vacations_account_id_idx ON vacations (account_id, begins_at);
CREATE UNIQUE INDEX vacations_key_hash_key ON vacations (account_id, key_hash) WHERE key_hash IS NOT NULL;
COMMENT ON TABLE vacations IS 'Whole days in which a player''s clock stands. Those that are over count for the days of their year.';
COMMENT ON COLUMN vacations.id IS 'UUIDv7.';
COMMENT ON COLUMN vacations.account_id IS 'Whose.';
COMMENT ON COLUMN vacations.time_zone IS 'Whose days they are: a name of the IANA database.';
COMMENT ON COLUMN vacations.first_day IS 'The first day.';
COMMENT ON COLUMN vacations.last_day IS 'The last day, as it was announced.';
COMMENT ON COLUMN vacations.begins_at IS 'When the first day begins. Worked out once: it stays, whatever becomes of the zone.';
COMMENT ON COLUMN vacations.ends_at IS 'When the last day is over, likewise.';
COMMENT ON COLUMN vacations.announced_at IS 'When it was announced.';
COMMENT ON COLUMN vacations.cancelled_at IS 'When it was cancelled.';
COMMENT ON COLUMN vacations.left_last_day IS 'The last day that is left of a cancelled one; none if nothing is left.';
COMMENT ON COLUMN vacations.left_ends_at IS 'When that is over.';
COMMENT ON COLUMN vacations.key_hash IS 'First 8 bytes of the SHA-256 of account and Idempotency-Key.';
COMMENT ON COLUMN vacations.fingerprint IS 'First 4 bytes of the SHA-256 of operation and body.';
