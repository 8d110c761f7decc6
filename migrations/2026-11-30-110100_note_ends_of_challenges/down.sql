DROP TRIGGER challenge_events_end ON challenges;
DROP FUNCTION challenge_events_end();
