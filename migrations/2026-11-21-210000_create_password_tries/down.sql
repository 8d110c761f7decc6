DROP TABLE password_tries;
