-- Whom somebody does not want to meet, and whom somebody wants to find again.

CREATE TABLE blocks (
    blocker_id uuid        NOT NULL CONSTRAINT blocks_blocker_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    blocked_id uuid        NOT NULL CONSTRAINT blocks_blocked_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT blocks_pkey PRIMARY KEY (blocker_id, blocked_id),
    CONSTRAINT blocks_other_check CHECK (blocker_id <> blocked_id)
);
CREATE INDEX blocks_blocked_id_idx ON blocks (blocked_id, blocker_id);
COMMENT ON TABLE blocks IS 'Who has blocked whom. It holds in both directions, and only who has blocked is told.';
COMMENT ON COLUMN blocks.blocker_id IS 'Who has blocked.';
COMMENT ON COLUMN blocks.blocked_id IS 'Who is blocked.';
COMMENT ON COLUMN blocks.created_at IS 'Since when.';

CREATE TABLE friend_wishes (
    wisher_id  uuid        NOT NULL CONSTRAINT friend_wishes_wisher_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    wished_id  uuid        NOT NULL CONSTRAINT friend_wishes_wished_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT friend_wishes_pkey PRIMARY KEY (wisher_id, wished_id),
    CONSTRAINT friend_wishes_other_check CHECK (wisher_id <> wished_id)
);
CREATE INDEX friend_wishes_wished_id_idx ON friend_wishes (wished_id, wisher_id);
COMMENT ON TABLE friend_wishes IS 'Who wants whom as a friend. Two who want each other are friends: a request is accepted by asking back.';
COMMENT ON COLUMN friend_wishes.wisher_id IS 'Who asks.';
COMMENT ON COLUMN friend_wishes.wished_id IS 'Who is asked.';
COMMENT ON COLUMN friend_wishes.created_at IS 'When it was asked.';
