DROP TABLE moderators;
