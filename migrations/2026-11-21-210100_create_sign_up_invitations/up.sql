-- Invitations to register, for services that are not open to all (YANIV_SIGN_UP=invitation).

CREATE TABLE sign_up_invitations (
    id         uuid        CONSTRAINT sign_up_invitations_pkey PRIMARY KEY,
    code_hash  bytea       NOT NULL CONSTRAINT sign_up_invitations_code_hash_key UNIQUE
        CONSTRAINT sign_up_invitations_code_hash_check CHECK (octet_length(code_hash) = 32),
    note       text        NOT NULL CONSTRAINT sign_up_invitations_note_check CHECK (char_length(note) <= 200),
    uses       integer     NOT NULL CONSTRAINT sign_up_invitations_uses_check CHECK (uses >= 1),
    used       integer     NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    revoked_at timestamptz,
    CONSTRAINT sign_up_invitations_used_check CHECK (used BETWEEN 0 AND uses)
);
COMMENT ON TABLE sign_up_invitations IS 'Codes by which people may register where it takes an invitation; made on the command line.';
COMMENT ON COLUMN sign_up_invitations.id IS 'UUIDv7.';
COMMENT ON COLUMN sign_up_invitations.code_hash IS 'SHA-256 of the code, which is shown once and not kept.';
COMMENT ON COLUMN sign_up_invitations.note IS 'What its maker wants to remember; may be empty.';
COMMENT ON COLUMN sign_up_invitations.uses IS 'How many people it lets in.';
COMMENT ON COLUMN sign_up_invitations.used IS 'How many it has let in. Not who: an invitation is no tie between accounts.';
COMMENT ON COLUMN sign_up_invitations.created_at IS 'When it was made.';
COMMENT ON COLUMN sign_up_invitations.expires_at IS 'When it stops letting people in.';
COMMENT ON COLUMN sign_up_invitations.revoked_at IS 'When it was revoked.';
