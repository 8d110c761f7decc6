DROP TABLE server_secrets;
DROP TABLE accounts;
