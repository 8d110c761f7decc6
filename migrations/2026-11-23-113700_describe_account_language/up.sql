-- The service writes notifications in five languages, and takes no other tag any more. The release before takes any: a check follows
-- when none of it runs. Until then the first part of a tag counts.
COMMENT ON COLUMN accounts.language IS 'Language of the notifications: en, he, ne, nl or de. Other tags and none count as en, de-AT as de.';
