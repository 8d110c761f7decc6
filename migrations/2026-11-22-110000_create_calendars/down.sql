DROP TABLE vacations;
DROP TABLE quiet_hours;
