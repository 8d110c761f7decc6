DROP INDEX tallies_won_idx;
DROP INDEX matches_rated_idx;
DROP INDEX matches_public_idx;
DROP INDEX matches_preset_idx;
