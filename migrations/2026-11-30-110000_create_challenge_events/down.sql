DROP TRIGGER challenge_events_begin ON challenge_members;
DROP FUNCTION challenge_events_begin();
DROP TABLE challenge_events;
