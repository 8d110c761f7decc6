DROP INDEX accounts_username_skeleton_idx;
ALTER TABLE accounts
    DROP CONSTRAINT accounts_display_check,
    DROP COLUMN username_skeleton,
    DROP COLUMN time_zone,
    DROP COLUMN language,
    DROP COLUMN display_skeleton,
    DROP COLUMN display_name;
