-- Log-in by an OpenID Connect provider.
ALTER TABLE accounts ADD COLUMN oidc_issuer text, ADD COLUMN oidc_subject text;
COMMENT ON COLUMN accounts.oidc_issuer IS 'Issuer of the linked identity (OpenID Connect); null without one.';
COMMENT ON COLUMN accounts.oidc_subject IS 'The user at that issuer, by whom the account is logged in; null without a linked identity.';
COMMENT ON COLUMN accounts.password_hash IS 'Argon2id PHC string; empty without a password: guests, bots, accounts whose owner logs in by a linked identity only, deleted accounts.';
