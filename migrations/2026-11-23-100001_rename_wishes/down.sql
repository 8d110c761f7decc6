DROP VIEW wishes;
ALTER TABLE pairing_criteria RENAME TO wishes;
