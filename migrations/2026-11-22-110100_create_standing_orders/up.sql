-- Standing orders: what a player wants done when it becomes their turn (docs/standing-orders.md). Nobody else ever sees them.

CREATE TABLE standing_orders (
    match_id      uuid        NOT NULL CONSTRAINT standing_orders_match_id_fkey REFERENCES matches (id) ON DELETE CASCADE,
    seat          smallint    NOT NULL CONSTRAINT standing_orders_seat_check CHECK (seat BETWEEN 0 AND 9),
    account_id    uuid        NOT NULL CONSTRAINT standing_orders_account_id_fkey REFERENCES accounts (id) ON DELETE CASCADE,
    version       integer     NOT NULL CONSTRAINT standing_orders_version_check CHECK (version > 0),
    round         smallint    NOT NULL,
    turns         smallint    NOT NULL,
    hand          bytea       NOT NULL,
    orders        jsonb       NOT NULL,
    placed_at     timestamptz NOT NULL,
    state         text        NOT NULL CONSTRAINT standing_orders_state_check CHECK (state IN ('waiting', 'carried_out', 'void')),
    reason        text,
    ended_at      timestamptz,
    ended_version integer,
    CONSTRAINT standing_orders_pkey PRIMARY KEY (match_id, seat),
    CONSTRAINT standing_orders_end_check CHECK ((state = 'waiting') = (ended_at IS NULL) AND (state = 'void') = (reason IS NOT NULL)
        AND (ended_version IS NULL) = (ended_at IS NULL))
);
CREATE INDEX standing_orders_account_id_idx ON standing_orders (account_id);
COMMENT ON TABLE standing_orders IS 'The newest orders of a seat, and what became of them.';
COMMENT ON COLUMN standing_orders.match_id IS 'The match.';
COMMENT ON COLUMN standing_orders.seat IS 'The seat that is to act.';
COMMENT ON COLUMN standing_orders.account_id IS 'Who placed them; nobody else sees them.';
COMMENT ON COLUMN standing_orders.version IS 'Version of the match that they were placed at.';
COMMENT ON COLUMN standing_orders.round IS 'The round then: they are void in another.';
COMMENT ON COLUMN standing_orders.turns IS 'Turns that the seat had had in it: they are void after another.';
COMMENT ON COLUMN standing_orders.hand IS 'The hand then, by the indexes of the cards: they are void with another.';
COMMENT ON COLUMN standing_orders.orders IS 'What is to be done.';
COMMENT ON COLUMN standing_orders.placed_at IS 'When they were placed.';
COMMENT ON COLUMN standing_orders.state IS 'What became of them.';
COMMENT ON COLUMN standing_orders.reason IS 'Why they are void: a word of the API.';
COMMENT ON COLUMN standing_orders.ended_at IS 'When they were carried out, or found to be void.';
COMMENT ON COLUMN standing_orders.ended_version IS 'Version of the match after that.';

ALTER TABLE match_states ADD COLUMN ordered smallint NOT NULL DEFAULT 0;
COMMENT ON COLUMN match_states.ordered IS 'Seats whose standing orders wait, a bit each, as in waiting_on.';
