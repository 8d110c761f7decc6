DROP TABLE challenge_keys;
DROP TABLE challenge_members;
DROP TABLE challenges;
