//! Guest accounts, quick pairing, challenges and rematches.

use uuid::Uuid;

use crate::failure::Failure;
use crate::key::Key;
use crate::player::Player;
use crate::types::{
    AcceptChallengeRequest, Account, Challenge, ChallengeList, ClaimAccountRequest, CreateChallengeRequest,
    DeclineChallengeRequest, DeclineReason, Language, OfferRematchRequest, Pairing, PairingList,
    RequestPairingRequest, UpdateAccountRequest,
};

impl Player {
    /// Ends the session (`logOut`).
    ///
    /// # Errors
    /// `LoggedOut` if it has already ended, possibly by an earlier attempt whose answer was lost.
    pub async fn log_out(&self) -> Result<(), Failure> {
        self.send(async |client| client.log_out().await).await
    }

    /// Makes a guest's account a full one (`claimAccount`). It takes no key: after `not_a_guest`, the account shows
    /// whether an earlier attempt succeeded.
    ///
    /// # Errors
    /// `username_taken`, `username_reserved` and `not_a_guest`, among others.
    pub async fn claim(&self, name: &str, password: &str) -> Result<Account, Failure> {
        let body = ClaimAccountRequest { username: name.parse()?, password: password.parse()? };
        match self.send(async |client| client.claim_account(&body).await).await {
            Err(Failure::Refused(problem)) if &*problem.code == "not_a_guest" => {
                let account = self.account().await?;
                if account.username.as_str() == name { Ok(account) } else { Err(Failure::Refused(problem)) }
            }
            answer => answer,
        }
    }

    /// Sets the language of the player's notifications (`updateAccount`).
    ///
    /// # Errors
    /// As all writing.
    pub async fn set_language(&self, language: Language) -> Result<Account, Failure> {
        let body = UpdateAccountRequest { language: Some(language), ..UpdateAccountRequest::default() };
        self.send(async |client| client.update_account(&body).await).await
    }

    /// Requests a pairing (`requestPairing`).
    ///
    /// # Errors
    /// `bad_rules` and `too_many_pairings`, among others.
    pub async fn request_pairing(&self, key: &Key, wish: &RequestPairingRequest) -> Result<Pairing, Failure> {
        let key = key.as_str().parse()?;
        self.send(async |client| client.request_pairing(Some(&key), wish).await).await
    }

    /// The player's waiting pairing requests (`listPairings`).
    ///
    /// # Errors
    /// As all reading.
    pub async fn pairings(&self) -> Result<PairingList, Failure> {
        self.send(async |client| client.list_pairings(None).await).await
    }

    /// Status and result of a pairing request (`getPairing`).
    ///
    /// # Errors
    /// As all reading, or `pairing_not_found`.
    pub async fn pairing(&self, id: Uuid) -> Result<Pairing, Failure> {
        self.send(async |client| client.get_pairing(&id, None).await).await
    }

    /// Withdraws a pairing request (`withdrawPairing`).
    ///
    /// # Errors
    /// `already_paired`, among others.
    pub async fn withdraw_pairing(&self, id: Uuid) -> Result<Pairing, Failure> {
        self.send(async |client| client.withdraw_pairing(&id).await).await
    }

    /// Challenges others (`createChallenge`).
    ///
    /// # Errors
    /// `account_not_found`, `bad_rules` and `too_many_challenges`, among others.
    pub async fn create_challenge(
        &self,
        key: &Key,
        wish: &CreateChallengeRequest,
    ) -> Result<Challenge, Failure> {
        let key = key.as_str().parse()?;
        self.send(async |client| client.create_challenge(Some(&key), wish).await).await
    }

    /// A page of challenges from and to the player (`listChallenges`), newest first, optionally of one status.
    ///
    /// # Errors
    /// As all reading.
    pub async fn challenges(&self, status: Option<&str>) -> Result<ChallengeList, Failure> {
        let status = status.map(str::parse).transpose()?;
        self.send(async |client| client.list_challenges(None, None, None, status.as_ref(), None).await).await
    }

    /// A challenge with its answers (`getChallenge`).
    ///
    /// # Errors
    /// As all reading, or `challenge_not_found`.
    pub async fn challenge(&self, id: Uuid) -> Result<Challenge, Failure> {
        self.send(async |client| client.get_challenge(&id, None).await).await
    }

    /// Accepts a challenge (`acceptChallenge`), with a client seed for the shuffles.
    ///
    /// # Errors
    /// `challenge_over`, among others.
    pub async fn accept_challenge(&self, id: Uuid, client_seed: &str) -> Result<Challenge, Failure> {
        let body = AcceptChallengeRequest { client_seed: Some(client_seed.parse()?) };
        self.send(async |client| client.accept_challenge(&id, &body).await).await
    }

    /// Declines a challenge (`declineChallenge`).
    ///
    /// # Errors
    /// `challenge_over`, among others.
    pub async fn decline_challenge(&self, id: Uuid, reason: DeclineReason) -> Result<Challenge, Failure> {
        let body = DeclineChallengeRequest { reason: Some(reason) };
        self.send(async |client| client.decline_challenge(&id, &body).await).await
    }

    /// Withdraws the player's own challenge (`withdrawChallenge`).
    ///
    /// # Errors
    /// `challenge_over`, among others.
    pub async fn withdraw_challenge(&self, id: Uuid) -> Result<Challenge, Failure> {
        self.send(async |client| client.withdraw_challenge(&id).await).await
    }

    /// Offers a rematch of a finished match, or accepts the one offered (`offerRematch`), with a client seed for the
    /// shuffles.
    ///
    /// # Errors
    /// `match_not_over`, among others.
    pub async fn offer_rematch(&self, key: &Key, id: Uuid, client_seed: &str) -> Result<Challenge, Failure> {
        let (key, body) =
            (key.as_str().parse()?, OfferRematchRequest { client_seed: Some(client_seed.parse()?) });
        self.send(async |client| client.offer_rematch(&id, Some(&key), &body).await).await
    }

    /// The rematch of a match, if one was offered (`getRematch`).
    ///
    /// # Errors
    /// As all reading, or `match_not_found`.
    pub async fn rematch(&self, id: Uuid) -> Result<Option<Challenge>, Failure> {
        match self.send(async |client| client.get_rematch(&id, None).await).await {
            Err(Failure::Refused(problem)) if &*problem.code == "challenge_not_found" => Ok(None),
            answer => answer.map(Some),
        }
    }
}
