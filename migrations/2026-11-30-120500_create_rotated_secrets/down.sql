DROP TABLE rotated_secrets;
