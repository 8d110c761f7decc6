DROP TABLE shared_browsers;
