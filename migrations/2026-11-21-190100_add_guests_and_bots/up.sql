-- Accounts without a password: guests, who may claim theirs later, and bots, which act by tokens that their owner makes.

ALTER TABLE accounts
    ADD COLUMN kind       text NOT NULL DEFAULT 'person' CONSTRAINT accounts_kind_check CHECK (kind IN ('person', 'guest', 'bot')),
    ADD COLUMN owner_id   uuid CONSTRAINT accounts_owner_id_fkey REFERENCES accounts (id),
    ADD COLUMN renamed_at timestamptz,
    ADD CONSTRAINT accounts_owner_check CHECK (owner_id IS NULL OR kind = 'bot');
CREATE INDEX accounts_owner_id_idx ON accounts (owner_id) WHERE owner_id IS NOT NULL;
-- Looked through now and then for those that nobody can get into any more.
CREATE INDEX accounts_guests_idx ON accounts (id) WHERE kind = 'guest';
-- Asked for twice a second by every instance.
CREATE INDEX accounts_renamed_at_idx ON accounts (renamed_at) WHERE renamed_at IS NOT NULL;
COMMENT ON TABLE accounts IS 'One row a person, a guest or a bot; what is deleted keeps a row without anything personal.';
COMMENT ON COLUMN accounts.username IS 'Name to log in with: 3 to 20 of a-z, 0-9 and underscore. Changes when a guest claims the account, and when it is deleted.';
COMMENT ON COLUMN accounts.password_hash IS 'PHC string of argon2id; empty where there is no password: of guests, of bots and of what is deleted.';
COMMENT ON COLUMN accounts.kind IS 'person, guest or bot. A guest becomes a person; a bot stays one.';
COMMENT ON COLUMN accounts.owner_id IS 'Who made the bot; null for people, and for bots that are deleted.';
COMMENT ON COLUMN accounts.renamed_at IS 'When the username was changed last: matches in memory that show the old one are forgotten.';
