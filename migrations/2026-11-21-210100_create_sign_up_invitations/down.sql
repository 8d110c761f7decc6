DROP TABLE sign_up_invitations;
