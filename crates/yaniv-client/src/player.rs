//! A player: an account with a token at a service. Most methods are one operation.
//!
//! Writes take a [`Key`]. They are retried until the answer is final; after [`Failure::Unanswered`] or
//! [`Failure::LoggedOut`] they may have taken effect, and the same call with the same key continues.

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
    Account, AnswerCallRequest, AnswerCardRequestRequest, AnswerSwapRequest, CreateMatchRequest,
    DedicateCardRequest, JoinMatchRequest, LogPage, MakeCallRequest, Match, MatchList, MatchPreview,
    PassTurnRequest, PlayCardsRequest, Record, RequestCardRequest, ResignMatchRequest, Round,
    SlamDownRequest,
};
use crate::view::{KnownSettings, View};

/// A player.
#[derive(Clone, Debug)]
pub struct Player {
    server: Server,
    authorization: HeaderValue,
    known: KnownSettings,
}

/// The tag of a view.
#[derive(Clone, Debug)]
pub struct Tag(String);

/// Result of a conditional read of a match.
#[derive(Clone, Debug)]
pub enum Look {
    /// Not changed since the tag.
    Same,
    /// A view, with its tag for the next read.
    New(Box<View>, Option<Tag>),
}

impl Player {
    /// The player whose token this is.
    ///
    /// # Errors
    /// `Mismatch` if the text cannot be a token.
    pub fn new(server: &Server, token: &str) -> Result<Self, Failure> {
        Ok(Self { server: server.clone(), authorization: bearer(token)?, known: KnownSettings::default() })
    }

    /// The player's service.
    #[must_use]
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// The account (`getAccount`).
    ///
    /// # Errors
    /// Those of all reads: no answer, or the player is logged out.
    pub async fn account(&self) -> Result<Account, Failure> {
        self.send(async |client| client.get_account().await).await
    }

    /// A page of the player's matches, those that wait for the player first (`listMatches`), optionally of one status.
    ///
    /// # Errors
    /// Those of all reads.
    pub async fn matches(&self, status: Option<&str>) -> Result<MatchList, Failure> {
        let status = status.map(str::parse).transpose()?;
        self.send(async |client| client.list_matches(None, None, status.as_ref(), None).await).await
    }

    /// A match as the player sees it (`getMatch`), with the events since a version.
    ///
    /// # Errors
    /// Those of all reads, or `match_not_found`.
    pub async fn view(&self, id: Uuid, since: Option<NonZeroU32>) -> Result<View, Failure> {
        let since = since.and_then(|version| i32::try_from(version.get()).ok());
        self.with_settings(self.send(async |client| client.get_match(&id, since, None).await).await?).await
    }

    /// The same, unless nothing has changed since the tag.
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
                Look::New(Box::new(self.with_settings(answer.into_inner()).await?), tag)
            }
        })
    }

    /// A part of the log (`listLog`): entries after a version.
    ///
    /// # Errors
    /// Those of all reads, or `match_not_found`.
    pub async fn log(&self, id: Uuid, after: i32) -> Result<LogPage, Failure> {
        self.send(async |client| client.list_log(&id, Some(after), None, None).await).await
    }

    /// The finished rounds (`listRounds`).
    ///
    /// # Errors
    /// Those of all reads, or `match_not_found`.
    pub async fn rounds(&self, id: Uuid) -> Result<Vec<Round>, Failure> {
        Ok(self.send(async |client| client.list_rounds(&id, None).await).await?.items)
    }

    /// The record, which proves every card (`getRecord`).
    ///
    /// # Errors
    /// Those of all reads, `match_not_found` or `match_not_started`.
    pub async fn record(&self, id: Uuid) -> Result<Record, Failure> {
        let client = self.client();
        // It has its own media type, so the generated client returns the bytes.
        let bytes = self.server.send(async || client.get_record(&id).await).await?;
        let text = crate::failure::whole(bytes).await?;
        serde_json::from_slice(&text).map_err(|error| Failure::Mismatch(error.to_string()))
    }

    /// The match of a code (`getMatchByCode`).
    ///
    /// # Errors
    /// Those of all reads, or `join_code_not_found`.
    pub async fn match_by_code(&self, code: &str) -> Result<MatchPreview, Failure> {
        let code = code.parse()?;
        self.send(async |client| client.get_match_by_code(&code, None).await).await
    }

    /// Creates a match, with the player in its first seat (`createMatch`).
    ///
    /// # Errors
    /// `bad_rules`, among others.
    pub async fn create(&self, key: &Key, wish: &CreateMatchRequest) -> Result<View, Failure> {
        let key = key.as_str().parse()?;
        self.with_settings(self.send(async |client| client.create_match(Some(&key), wish).await).await?).await
    }

    /// Takes a seat (`joinMatch`), with a client seed for the shuffles.
    ///
    /// # Errors
    /// `match_full` and `match_started`, among others.
    pub async fn join(&self, key: &Key, code: &str, client_seed: &str) -> Result<View, Failure> {
        let (key, code) = (key.as_str().parse()?, code.parse()?);
        let body = JoinMatchRequest { client_seed: Some(client_seed.parse()?) };
        let joined = self.send(async |client| client.join_match(&code, Some(&key), &body).await).await?;
        self.with_settings(joined).await
    }

    /// Leaves before the start (`leaveMatch`).
    ///
    /// # Errors
    /// `match_started`, among others.
    pub async fn leave(&self, key: &Key, id: Uuid) -> Result<(), Failure> {
        let key = key.as_str().parse()?;
        self.send(async |client| client.leave_match(&id, Some(&key)).await).await
    }

    /// Removes a player before the start (`removePlayer`).
    ///
    /// # Errors
    /// `host_only` and `player_not_found`, among others.
    pub async fn remove(&self, key: &Key, id: Uuid, username: &str) -> Result<Match, Failure> {
        let (key, username) = (key.as_str().parse()?, username.parse()?);
        self.send(async |client| client.remove_player(&id, &username, Some(&key)).await).await
    }

    /// Deals (`startMatch`).
    ///
    /// # Errors
    /// `host_only` and `too_few_players`, among others.
    pub async fn start(&self, key: &Key, id: Uuid) -> Result<View, Failure> {
        let key = key.as_str().parse()?;
        self.with_settings(self.send(async |client| client.start_match(&id, Some(&key)).await).await?).await
    }

    /// Dedicates the turned-up card (`dedicateCard`). It needs no key: a repetition changes nothing.
    ///
    /// # Errors
    /// `not_allowed_by_rules` and `wrong_phase`, among others.
    pub async fn dedicate(&self, id: Uuid, text: &str) -> Result<(), Failure> {
        let body = DedicateCardRequest { text: text.parse()? };
        self.send(async |client| client.dedicate_card(&id, &body).await).await
    }

    /// Acts at this version; returns the match after the action.
    ///
    /// # Errors
    /// `version_conflict` with the current match, if it has changed; refusals by the rules.
    pub async fn act(
        &self,
        key: &Key,
        id: Uuid,
        version: NonZeroU32,
        action: &Move,
    ) -> Result<View, Failure> {
        self.with_settings(self.act_once(key, id, version, action).await?).await
    }

    /// A match with its settings, which are fetched if the player does not know them.
    ///
    /// # Errors
    /// Those of all reads.
    async fn with_settings(&self, state: Match) -> Result<View, Failure> {
        let tag = state.settings_tag.clone();
        let settings = match self.known.get(&tag) {
            Some(settings) => settings,
            None => {
                let (id, named) = (state.match_id, tag.parse()?);
                let get = async |client: &Client| client.get_match_settings(&id, Some(&named), None).await;
                self.known.keep(&tag, self.send(get).await?)
            }
        };
        Ok(View { state, settings })
    }

    async fn act_once(
        &self,
        key: &Key,
        id: Uuid,
        version: NonZeroU32,
        action: &Move,
    ) -> Result<Match, Failure> {
        let expected_version = version;
        match action.clone() {
            Move::Play { cards, draw_from, draw_card, slam_down } => {
                let body = PlayCardsRequest { expected_version, cards, draw_from, draw_card, slam_down };
                let key = key.as_str().parse()?;
                self.send(async |client| client.play_cards(&id, &key, &body).await).await
            }
            Move::Call { word } => {
                let word = word.as_deref().map(str::parse).transpose()?;
                let (key, body) = (key.as_str().parse()?, MakeCallRequest { expected_version, word });
                self.send(async |client| client.make_call(&id, &key, &body).await).await
            }
            Move::SlamDown { first } => {
                let body = SlamDownRequest { expected_version, first: Some(first) };
                let key = key.as_str().parse()?;
                self.send(async |client| client.slam_down(&id, &key, &body).await).await
            }
            Move::Ask { card } => {
                let (key, body) = (key.as_str().parse()?, RequestCardRequest { expected_version, card });
                self.send(async |client| client.request_card(&id, &key, &body).await).await
            }
            Move::AnswerRequest(answer) => {
                let (key, body) =
                    (key.as_str().parse()?, AnswerCardRequestRequest { expected_version, answer });
                self.send(async |client| client.answer_card_request(&id, &key, &body).await).await
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
                let (key, body) = (key.as_str().parse()?, PassTurnRequest { expected_version });
                self.send(async |client| client.pass_turn(&id, &key, &body).await).await
            }
            Move::Resign => {
                let (key, body) = (key.as_str().parse()?, ResignMatchRequest { expected_version });
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
