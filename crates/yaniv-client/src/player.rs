//! A player: an account with a token at a service. One method for each operation, named by what a player wants.
//!
//! Writes take a [`Key`]. They repeat themselves until the answer is final; if they fail with
//! [`Failure::Unanswered`] or [`Failure::LoggedOut`] they may have happened, and the same call with the same key goes on.

use std::num::NonZeroU32;

use reqwest::header::{ETAG, HeaderValue};
use uuid::Uuid;

use crate::failure::Failure;
use crate::generated::{ByteStream, Client, Error, ResponseValue};
use crate::headers::Headers;
use crate::key::Key;
use crate::moves::Move;
use crate::repeat::Reply;
use crate::server::{Server, bearer};
use crate::types::{
    Account, AnswerCallRequest, AnswerRequestRequest, AnswerSwapRequest, AskRequest, CallRequest,
    CreateMatchRequest, GiftRequest, JoinMatchRequest, LogPage, Match, MatchList, PassRequest, PlayRequest,
    Record, ResignRequest, Round, SlamDownRequest,
};

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    server: Server,
    authorization: HeaderValue,
}

/// The tag of a view that a player has.
#[derive(Clone, Debug)]
pub struct Tag(String);

/// What looking at a match has brought.
#[derive(Clone, Debug)]
pub enum Look {
    /// Nothing new since the tag.
    Same,
    /// A view, with its tag for the next look.
    New(Box<Match>, Option<Tag>),
}

impl Player {
    /// The player whose token this is.
    ///
    /// # Errors
    /// `Mismatch` if the text cannot be a token.
    pub fn new(server: &Server, token: &str) -> Result<Self, Failure> {
        Ok(Self { server: server.clone(), authorization: bearer(token)? })
    }

    /// Where the player plays.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The account (`getAccount`).
    ///
    /// # Errors
    /// As all reading: if there is no answer, or the player is logged out.
    pub async fn account(&self) -> Result<Account, Failure> {
        self.send(async |client| client.get_account().await).await
    }

    /// A page of the player's matches, those that wait for the player first (`listMatches`), of one status if given.
    ///
    /// # Errors
    /// As all reading.
    pub async fn matches(&self, status: Option<&str>) -> Result<MatchList, Failure> {
        let status = status.map(str::parse).transpose()?;
        self.send(async |client| client.list_matches(None, None, status.as_ref(), None).await).await
    }

    /// A match as the player may see it (`getMatch`), with what has happened since a version.
    ///
    /// # Errors
    /// As all reading, or `match_not_found`.
    pub async fn view(&self, id: Uuid, since: Option<NonZeroU32>) -> Result<Match, Failure> {
        let since = since.and_then(|version| i32::try_from(version.get()).ok());
        self.send(async |client| client.get_match(&id, since, None).await).await
    }

    /// The same, unless there is nothing new since the tag.
    ///
    /// # Errors
    /// The same.
    pub async fn look(&self, id: Uuid, since: NonZeroU32, tag: Option<&Tag>) -> Result<Look, Failure> {
        let client = self.client();
        let (since, tag) = (i32::try_from(since.get()).ok(), tag.map(|tag| tag.0.as_str()));
        let reply = self.server.reply(async || client.get_match(&id, since, tag).await).await?;
        Ok(match reply {
            Reply::NotModified => Look::Same,
            Reply::Answer(answer) => {
                let tag = answer.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
                let tag = tag.map(|tag| Tag(tag.to_owned()));
                Look::New(Box::new(answer.into_inner()), tag)
            }
        })
    }

    /// A part of the log (`listActions`): entries after a version.
    ///
    /// # Errors
    /// As all reading, or `match_not_found`.
    pub async fn log(&self, id: Uuid, after: i32) -> Result<LogPage, Failure> {
        self.send(async |client| client.list_actions(&id, Some(after), None, None).await).await
    }

    /// The rounds that are over (`listRounds`).
    ///
    /// # Errors
    /// As all reading, or `match_not_found`.
    pub async fn rounds(&self, id: Uuid) -> Result<Vec<Round>, Failure> {
        Ok(self.send(async |client| client.list_rounds(&id, None).await).await?.items)
    }

    /// The record, which proves every card (`getRecord`).
    ///
    /// # Errors
    /// As all reading, `match_not_found` or `match_not_started`.
    pub async fn record(&self, id: Uuid) -> Result<Record, Failure> {
        let client = self.client();
        // Its media type is one of its own, so that the generated client leaves the bytes as they are.
        let bytes = self.server.send(async || client.get_record(&id).await).await?;
        let text = crate::failure::whole(bytes).await?;
        serde_json::from_slice(&text).map_err(|error| Failure::Mismatch(error.to_string()))
    }

    /// What a code is for (`getInvitation`).
    ///
    /// # Errors
    /// As all reading, or `invitation_not_found`.
    pub async fn invitation(&self, code: &str) -> Result<Match, Failure> {
        let code = code.parse()?;
        self.send(async |client| client.get_invitation(&code, None).await).await
    }

    /// Opens a match, with the player in its first seat (`createMatch`).
    ///
    /// # Errors
    /// `bad_rules`, among others.
    pub async fn create(&self, key: &Key, wish: &CreateMatchRequest) -> Result<Match, Failure> {
        let key = key.as_str().parse()?;
        self.send(async |client| client.create_match(Some(&key), wish).await).await
    }

    /// Takes a seat (`joinMatch`), with a part for every shuffle.
    ///
    /// # Errors
    /// `match_full` and `match_started`, among others.
    pub async fn join(&self, key: &Key, code: &str, client_seed: &str) -> Result<Match, Failure> {
        let (key, code) = (key.as_str().parse()?, code.parse()?);
        let body = JoinMatchRequest { client_seed: Some(client_seed.parse()?) };
        self.send(async |client| client.join_match(&code, Some(&key), &body).await).await
    }

    /// Gives the seat back before the start (`leaveMatch`).
    ///
    /// # Errors
    /// `match_started`, among others.
    pub async fn leave(&self, key: &Key, id: Uuid) -> Result<(), Failure> {
        let key = key.as_str().parse()?;
        self.send(async |client| client.leave_match(&id, Some(&key)).await).await
    }

    /// Deals (`startMatch`).
    ///
    /// # Errors
    /// `not_host` and `too_few_players`, among others.
    pub async fn start(&self, key: &Key, id: Uuid) -> Result<Match, Failure> {
        let key = key.as_str().parse()?;
        self.send(async |client| client.start_match(&id, Some(&key)).await).await
    }

    /// Dedicates the turned-up card (`dedicateCard`). It needs no key: the same again changes nothing.
    ///
    /// # Errors
    /// `not_allowed_by_rules` and `wrong_phase`, among others.
    pub async fn dedicate(&self, id: Uuid, text: &str) -> Result<(), Failure> {
        let body = GiftRequest { text: text.parse()? };
        self.send(async |client| client.dedicate_card(&id, &body).await).await
    }

    /// Acts, having seen this version; answers the match after it.
    ///
    /// # Errors
    /// `version_conflict` with the match as it is now, if it has moved on; refusals by the rules.
    pub async fn act(
        &self,
        key: &Key,
        id: Uuid,
        version: NonZeroU32,
        action: &Move,
    ) -> Result<Match, Failure> {
        let expected_version = version;
        match action.clone() {
            Move::Play { cards, draw_from, draw_card, slam_down } => {
                let body = PlayRequest { expected_version, cards, draw_from, draw_card, slam_down };
                let key = key.as_str().parse()?;
                self.send(async |client| client.play_cards(&id, &key, &body).await).await
            }
            Move::Call { word } => {
                let word = word.as_deref().map(str::parse).transpose()?;
                let (key, body) = (key.as_str().parse()?, CallRequest { expected_version, word });
                self.send(async |client| client.make_call(&id, &key, &body).await).await
            }
            Move::SlamDown { first } => {
                let body = SlamDownRequest { expected_version, first: Some(first) };
                let key = key.as_str().parse()?;
                self.send(async |client| client.slam_down(&id, &key, &body).await).await
            }
            Move::Ask { card } => {
                let (key, body) = (key.as_str().parse()?, AskRequest { expected_version, card });
                self.send(async |client| client.ask_for_card(&id, &key, &body).await).await
            }
            Move::AnswerRequest(answer) => {
                let (key, body) = (key.as_str().parse()?, AnswerRequestRequest { expected_version, answer });
                self.send(async |client| client.answer_request(&id, &key, &body).await).await
            }
            Move::AnswerCall(answer) => {
                let (key, body) = (key.as_str().parse()?, AnswerCallRequest { expected_version, answer });
                self.send(async |client| client.answer_call(&id, &key, &body).await).await
            }
            Move::AnswerSwap(answer) => {
                let (key, body) = (key.as_str().parse()?, AnswerSwapRequest { expected_version, answer });
                self.send(async |client| client.answer_swap(&id, &key, &body).await).await
            }
            Move::Pass => {
                let (key, body) = (key.as_str().parse()?, PassRequest { expected_version });
                self.send(async |client| client.pass_turn(&id, &key, &body).await).await
            }
            Move::Resign => {
                let (key, body) = (key.as_str().parse()?, ResignRequest { expected_version });
                self.send(async |client| client.resign_match(&id, &key, &body).await).await
            }
        }
    }

    fn client(&self) -> Client {
        self.server.client(Headers { authorization: Some(self.authorization.clone()), ..Headers::default() })
    }

    pub(crate) async fn send<T>(
        &self,
        attempt: impl AsyncFn(&Client) -> Result<ResponseValue<T>, Error<ByteStream>>,
    ) -> Result<T, Failure> {
        let client = self.client();
        self.server.send(async || attempt(&client).await).await
    }
}
