DROP TABLE audit_entries;
DROP FUNCTION audit_entries_keep();
