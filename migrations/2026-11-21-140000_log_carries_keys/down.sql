ALTER TABLE rounds ALTER COLUMN result TYPE jsonb;
ALTER TABLE match_states DROP COLUMN gifts;

DROP TABLE creation_keys;
CREATE TABLE idempotency_keys (
    account_id  uuid        NOT NULL CONSTRAINT idempotency_keys_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    key         text        NOT NULL,
    fingerprint bytea       NOT NULL,
    match_id    uuid        NOT NULL,
    version     integer     NOT NULL,
    entries     smallint    NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (account_id, key)
);

ALTER TABLE actions RENAME TO actions_after;
ALTER TABLE actions_after RENAME CONSTRAINT actions_pkey TO actions_after_pkey;
ALTER TABLE actions_after DROP CONSTRAINT actions_kind_check;
CREATE TABLE actions (
    match_id   uuid        NOT NULL CONSTRAINT actions_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    version    integer     NOT NULL,
    account_id uuid        NOT NULL,
    kind       text        NOT NULL
        CONSTRAINT actions_kind_check CHECK (kind IN ('joined', 'left', 'started', 'action')),
    round      smallint    NOT NULL DEFAULT 0,
    seat       smallint,
    detail     text        NOT NULL DEFAULT '',
    drew       bytea,
    flags      smallint    NOT NULL DEFAULT 0,
    at         timestamptz NOT NULL,
    CONSTRAINT actions_pkey PRIMARY KEY (match_id, version)
);
INSERT INTO actions (match_id, version, account_id, kind, round, seat, detail, drew, flags, at)
    SELECT a.match_id, a.version, coalesce(a.account_id, s.account_id),
           CASE a.kind WHEN 'j' THEN 'joined' WHEN 'l' THEN 'left' WHEN 's' THEN 'started' ELSE 'action' END,
           a.round, a.seat, a.detail, a.drew, a.flags, a.at
    FROM actions_after a LEFT JOIN seats s ON s.match_id = a.match_id AND s.seat = a.seat
    WHERE a.match_id IN (SELECT id FROM matches) AND (a.account_id IS NOT NULL OR s.account_id IS NOT NULL);
DROP TABLE actions_after;
