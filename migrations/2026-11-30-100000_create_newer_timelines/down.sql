DROP TABLE newer_timelines;
