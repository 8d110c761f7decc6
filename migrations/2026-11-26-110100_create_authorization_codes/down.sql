DROP TABLE authorization_codes;
