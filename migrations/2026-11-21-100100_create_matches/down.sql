DROP TABLE gifts;
DROP TABLE idempotency_keys;
DROP TABLE rounds;
DROP TABLE actions;
DROP TABLE seats;
DROP TABLE match_states;
DROP TABLE matches;
