ALTER TABLE accounts DROP COLUMN oidc_subject, DROP COLUMN oidc_issuer;
