-- A history is walked by seats, newest first. What a filter asks of a match is found without reading the match: what is
-- indexed here never changes, or once, when the match ends.

CREATE INDEX matches_preset_idx ON matches (preset, id);
CREATE INDEX matches_public_idx ON matches (id) WHERE visibility = 'public';
CREATE INDEX matches_rated_idx ON matches (id) WHERE rated;
CREATE INDEX tallies_won_idx ON tallies (account_id, match_id) WHERE place = 1;
COMMENT ON INDEX matches_preset_idx IS 'For histories of one preset, however rare it is among somebody''s matches.';
COMMENT ON INDEX matches_public_idx IS 'For histories that others read, which have public matches only.';
COMMENT ON INDEX matches_rated_idx IS 'For histories of matches that count for ratings.';
COMMENT ON INDEX tallies_won_idx IS 'For histories of matches won, however seldom somebody wins.';
