DROP TABLE friend_wishes;
DROP TABLE blocks;
