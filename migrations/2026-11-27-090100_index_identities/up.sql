-- An identity logs in to one account.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS accounts_identity_key ON accounts (oidc_issuer, oidc_subject)
    WHERE oidc_subject IS NOT NULL;
