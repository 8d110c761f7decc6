DROP TABLE transfer_codes;
