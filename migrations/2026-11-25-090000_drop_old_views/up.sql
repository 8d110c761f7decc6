-- The old names of renamed tables, for instances of 0.1.0. Instances of 1.0.0 use the new names.
DROP VIEW friend_wishes;
DROP VIEW wishes;
DROP VIEW tallies;
DROP VIEW totals;
DROP VIEW match_looks;
DROP VIEW match_announcements;
DROP VIEW gifts;
