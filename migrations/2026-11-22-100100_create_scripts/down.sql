DROP TABLE scripts;
