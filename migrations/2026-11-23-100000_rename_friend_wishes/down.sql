DROP VIEW friend_wishes;
ALTER TABLE friend_requests RENAME TO friend_wishes;
