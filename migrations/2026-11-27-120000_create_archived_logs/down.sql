DROP TABLE archived_logs;
