ALTER TABLE accounts DROP COLUMN oidc_subject, DROP COLUMN oidc_issuer;
COMMENT ON COLUMN accounts.password_hash IS 'PHC string of argon2id; empty where there is no password: of guests, of bots and of what is deleted.';
