-- A new kind of notification: all seats of a match are taken.
COMMENT ON COLUMN channels.kinds IS 'Bitmask of subscribed kinds: 1 your turn, 2 deadline near, 4 nudged, 8 invited, 16 round over, 32 match over, 64 digest, 128 table full.';
