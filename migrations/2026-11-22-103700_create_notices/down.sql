DROP TABLE notice_settings;
DROP TABLE match_looks;
DROP TABLE match_announcements;
DROP TABLE deliveries;
DROP TABLE channels;
