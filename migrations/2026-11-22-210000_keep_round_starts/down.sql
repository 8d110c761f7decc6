ALTER TABLE rounds
    DROP COLUMN next_state,
    DROP COLUMN next_clocks;
