DROP TABLE email_counts;
