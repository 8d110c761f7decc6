DROP TABLE pairing_keys;
DROP TABLE pairings;
DROP TABLE pairing_groups;
DROP TABLE wishes;
