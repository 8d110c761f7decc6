//! A round, step by step, for who wants to see it again.
//!
//! Of a round that is over everything; of the one in play what the viewer may know, by the same ways out as everywhere (the engine's view of a seat, and `LogEntry::for_viewer`).

use chrono::{DateTime, Utc};
use yaniv_engine::{Card, Match, PhaseKind, Played, RecordResult, Seat, Seed};

use super::replay::{Names, names_at};
use super::round_walk::{Onlooker, WalkedStep, walk};
use super::table::Table;
use super::view::LogEntry;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::action_list;
use crate::store::gifts::GiftRow;

/// A round, step by step.
pub struct RoundReplay {
    /// Its number.
    pub round: u16,
    /// Who played first.
    pub starter: Seat,
    /// Who dealt.
    pub dealer: Seat,
    /// The round decides a tie.
    pub sudden_death: bool,
    /// The card that was turned up.
    pub upcard: Option<Card>,
    /// The dealer's dedication of it.
    pub gift: Option<GiftRow>,
    /// By seat: who took part, with the cards dealt, in canonical order, if the viewer may know them.
    pub dealt: Vec<DealtSeat>,
    /// Cards in the stock after the deal.
    pub stock: u16,
    /// Its actions, oldest first.
    pub steps: Vec<ReplayStep>,
    /// Its end, if it is over.
    pub end: Option<ReplayEnd>,
}

/// What a seat had when the round began.
pub struct DealtSeat {
    /// The seat.
    pub seat: Seat,
    /// The total of the rounds before.
    pub total: i32,
    /// It no longer took part.
    pub out: bool,
    /// Number of cards.
    pub count: u16,
    /// The cards, if the viewer may know them.
    pub cards: Option<Vec<Card>>,
}

/// An action of the round, and the table after it.
pub struct ReplayStep {
    /// Its entry of the log, as the viewer may know it.
    pub entry: LogEntry,
    /// The table after it; none if it ended the round.
    pub after: Option<StepTable>,
}

/// The table after an action, as everybody saw it; and the hand of whoever acted, if the viewer may know it.
pub struct StepTable {
    /// What the round waited for.
    pub phase: PhaseKind,
    /// Who had to act.
    pub to_act: Vec<Seat>,
    /// The last discard, in the order thrown.
    pub pile: Vec<Card>,
    /// What of it could be picked up.
    pub pickable: Vec<Card>,
    /// Cards in the stock.
    pub stock: u16,
    /// Cards that were buried.
    pub buried: u16,
    /// Cards in each hand, by seat.
    pub counts: Vec<u16>,
    /// The hand of whoever acted.
    pub hand: Option<Vec<Card>>,
}

/// How a round ended.
pub struct ReplayEnd {
    /// When.
    pub ended_at: DateTime<Utc>,
    /// By which entry of the log.
    pub last_version: i32,
    /// Its seed, from which the cards follow.
    pub seed: Seed,
    /// The score; none if it ended unscored.
    pub result: Option<RecordResult>,
}

/// Draws the round while it is played again.
struct Drawing<'a> {
    table: &'a Table,
    names: Names,
    viewer: AccountId,
    /// The viewer's seat.
    you: Option<Seat>,
    /// Everything may be known.
    open: bool,
    drawn: Option<RoundReplay>,
    gift: Option<GiftRow>,
}

impl Services {
    /// A round of a match, step by step.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match; `NotStarted`; `RoundNotFound`.
    pub async fn round(
        &self,
        account: AccountId,
        id: MatchId,
        round: u16,
    ) -> Result<RoundReplay, ServiceError> {
        let table = self.table_to_read(account, id).await?;
        let game = table.game.as_ref().ok_or(ServiceError::NotStarted)?;
        if !(1..=game.round()).contains(&round) {
            return Err(ServiceError::RoundNotFound);
        }
        let place = self.replaying.place(account)?;
        let over = table.rounds.iter().find(|played| played.round == round);
        let last_version = over.map_or(table.version, |played| played.last_version);
        let rows = {
            let connection = self.store.connection().await?;
            action_list(&connection, id, 0, last_version, i64::MAX).await?
        };
        self.replaying
            .run(place, move || {
                let mut drawing = Drawing::new(&table, account, round)?;
                walk(&table, &rows, round, &mut drawing)?;
                let mut drawn = drawing.drawn.ok_or(ServiceError::RoundNotFound)?;
                drawn.end = end(&table, round);
                Ok(drawn)
            })
            .await
    }
}

fn end(table: &Table, round: u16) -> Option<ReplayEnd> {
    let played = table.rounds.iter().find(|played| played.round == round)?;
    Some(ReplayEnd {
        ended_at: played.ended_at,
        last_version: played.last_version,
        seed: table.seed_chain().round(round),
        result: played.result.clone(),
    })
}

impl<'a> Drawing<'a> {
    fn new(table: &'a Table, viewer: AccountId, round: u16) -> Result<Self, ServiceError> {
        let number = i16::try_from(round).map_err(ServiceError::internal)?;
        let gift = table.gifts.iter().find(|gift| gift.round == number && !gift.text.is_empty());
        Ok(Self {
            table,
            names: names_at(table),
            viewer,
            you: table.seat_of(viewer),
            open: table.is_round_over(number),
            drawn: None,
            gift: gift.cloned(),
        })
    }

    /// The hand of a seat, if the viewer may know it.
    fn hand(&self, game: &Match, seat: Seat) -> Option<Vec<Card>> {
        let known = self.open || self.you == Some(seat);
        known.then(|| game.view(Some(seat)).hand.map(|hand| hand.cards)).flatten()
    }
}

impl Onlooker for Drawing<'_> {
    fn dealt(&mut self, game: &Match) {
        let public = game.view(None);
        let dealt = public.seats.iter().map(|seat| DealtSeat {
            seat: seat.seat,
            total: seat.total,
            out: seat.out,
            count: seat.cards,
            cards: self.hand(game, seat.seat).filter(|_| !seat.out),
        });
        self.drawn = Some(RoundReplay {
            round: public.round,
            starter: public.starter,
            dealer: public.dealer,
            sudden_death: public.sudden_death,
            upcard: public.pile.first().copied(),
            gift: self.gift.clone(),
            dealt: dealt.collect(),
            stock: public.stock,
            steps: Vec::new(),
            end: None,
        });
    }

    fn after(&mut self, game: &Match, step: &WalkedStep<'_>, played: &Played) -> Result<(), ServiceError> {
        let entry = LogEntry::for_viewer(step.row, &self.names, self.table, self.viewer)?;
        let after = played.round_ended.is_none().then(|| {
            let public = game.view(None);
            StepTable {
                phase: public.phase,
                to_act: public.to_act,
                pile: public.pile,
                pickable: public.pickable,
                stock: public.stock,
                buried: public.buried,
                counts: public.seats.iter().map(|seat| seat.cards).collect(),
                hand: self.hand(game, step.seat),
            }
        });
        if let Some(drawn) = &mut self.drawn {
            drawn.steps.push(ReplayStep { entry, after });
        }
        Ok(())
    }
}
