//! Replay of a round, step by step.
//!
//! Of a finished round it shows everything; of the round in play, what the viewer may see, by the same
//! filters as everywhere: the engine's view of a seat, and `LogEntry::for_viewer`.

use std::ops::ControlFlow;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_engine::{Card, Match, PhaseKind, Played, Seat, Seed};
use yaniv_match::MatchState;
use yaniv_match::event::{ActionEvent, LoggedEvent, Names};
use yaniv_match::finished_round::RoundScore;
use yaniv_match::round_visitor::RoundVisitor;
use yaniv_match::settings::Dedication;
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::kernel::page::PageQuery;
use crate::matches::log::names_of_players;
use crate::{Page, ServiceError, Services};

/// A page of a replay.
pub struct RoundReplay {
    /// Number of the round.
    pub round: u16,
    /// The first player.
    pub starter: Seat,
    /// The dealer.
    pub dealer: Seat,
    /// Whether the round breaks a tie.
    pub sudden_death: bool,
    /// The first card of the pile, turned up at the deal.
    pub upcard: Option<Card>,
    /// The dealer's dedication.
    pub dedication: Option<Dedication>,
    /// The dealt hands by seat, in canonical order, with the cards that the viewer may see.
    pub dealt: Vec<DealtSeat>,
    /// Cards in the stock after the deal.
    pub stock: u16,
    /// The actions, oldest first.
    pub steps: Page<ReplayStep>,
    /// The end of the round, if it is over.
    pub end: Option<ReplayEnd>,
}

/// A seat at the start of the round.
pub struct DealtSeat {
    /// The seat.
    pub seat: Seat,
    /// Total of the rounds before.
    pub total: i32,
    /// Whether the seat was out.
    pub out: bool,
    /// Number of cards.
    pub count: u16,
    /// The cards, if the viewer may see them.
    pub cards: Option<Vec<Card>>,
}

/// An action of the round, and the state after it.
pub struct ReplayStep {
    /// The log entry as the viewer may see it.
    pub entry: LogEntry,
    /// The state after it; `None` if it ended the round.
    pub after: Option<StepState>,
}

/// The public state after an action, and the acting player's hand if the viewer may see it.
pub struct StepState {
    /// Phase of the round.
    pub phase: PhaseKind,
    /// The seats to act.
    pub to_act: Vec<Seat>,
    /// The last discard, in the order thrown.
    pub pile: Vec<Card>,
    /// The cards of the last discard that may be picked up.
    pub pickable: Vec<Card>,
    /// Cards in the stock.
    pub stock: u16,
    /// Buried cards.
    pub buried: u16,
    /// Cards in each hand, by seat.
    pub counts: Vec<u16>,
    /// The acting player's hand.
    pub hand: Option<Vec<Card>>,
}

/// The end of a round.
pub struct ReplayEnd {
    /// Time of the end.
    pub ended_at: DateTime<Utc>,
    /// Version of its last log entry.
    pub last_version: i32,
    /// Its seed, which determines the cards.
    pub seed: Seed,
    /// The scores; `None` if it ended unscored.
    pub score: Option<RoundScore>,
}

/// Visitor that builds a page during a replay.
struct Drawing {
    state: Arc<MatchState>,
    names: Names,
    viewer: AccountId,
    /// The viewer's seat.
    you: Option<Seat>,
    /// Whether all cards are visible.
    open: bool,
    /// The last version of the pages before.
    after: i32,
    /// Number of steps to draw.
    most: usize,
    drawn: Option<RoundReplay>,
    steps: Vec<ReplayStep>,
    dedication: Option<Dedication>,
}

impl Services {
    /// A page of a round's replay: the steps after the cursor.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match; `NotStarted`; `RoundNotFound`;
    /// `InvalidParameter` for a cursor that the server did not issue; `Busy`.
    #[boxed]
    pub async fn round(
        &self,
        account: AccountId,
        id: MatchId,
        round: u16,
        (limit, cursor): (i64, Option<String>),
    ) -> Result<RoundReplay, ServiceError> {
        let state = self.match_to_read(account, id).await?;
        let game = state.game().ok_or(ServiceError::NotStarted)?;
        if !(1..=game.round()).contains(&round) {
            return Err(ServiceError::RoundNotFound);
        }
        let asked = PageQuery::new(cursor.as_deref(), limit)?;
        let place = self.replay_pool.place(account)?;
        let drawing = Drawing::new(&state, account, round, &asked)?;
        let drawing = self.walk(&place, &state, round, drawing).await?;
        let mut drawn = drawing.drawn.ok_or(ServiceError::RoundNotFound)?;
        drawn.steps = asked.page(drawing.steps, |step| step.entry.version);
        drawn.end = end(&state, round);
        Ok(drawn)
    }
}

fn end(state: &MatchState, round: u16) -> Option<ReplayEnd> {
    let played = state.rounds().iter().find(|played| played.round == round)?;
    Some(ReplayEnd {
        ended_at: played.ended_at,
        last_version: played.last_version,
        seed: state.seed_chain().round(round),
        score: played.score.clone(),
    })
}

impl Drawing {
    fn new(
        state: &Arc<MatchState>,
        viewer: AccountId,
        round: u16,
        asked: &PageQuery<i32>,
    ) -> Result<Self, ServiceError> {
        let number = i16::try_from(round).map_err(ServiceError::internal)?;
        let dedication = state.dedication_of_round(number.into(), viewer);
        Ok(Self {
            state: Arc::clone(state),
            names: names_of_players(state),
            viewer,
            you: state.seat_of(viewer),
            open: state.is_round_over(number),
            after: asked.after.unwrap_or_default(),
            most: usize::try_from(asked.rows()).map_err(ServiceError::internal)?,
            drawn: None,
            steps: Vec::new(),
            dedication: dedication.cloned(),
        })
    }

    /// A seat's hand, if the viewer may see it.
    fn hand(&self, game: &Match, seat: Seat) -> Option<Vec<Card>> {
        let known = self.open || self.you == Some(seat);
        known.then(|| game.view(Some(seat)).hand.map(|hand| hand.cards)).flatten()
    }
}

impl RoundVisitor for Drawing {
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
            dedication: self.dedication.clone(),
            dealt: dealt.collect(),
            stock: public.stock,
            steps: Page::empty(),
            end: None,
        });
    }

    fn after(
        &mut self,
        game: &Match,
        entry: &LoggedEvent,
        action: &ActionEvent,
        played: &Played,
    ) -> ControlFlow<()> {
        if entry.version <= self.after {
            return ControlFlow::Continue(());
        }
        let entry = LogEntry::for_viewer(entry, &self.names, &self.state, self.viewer);
        let after = played.round_ended.is_none().then(|| {
            let public = game.view(None);
            StepState {
                phase: public.phase,
                to_act: public.to_act,
                pile: public.pile,
                pickable: public.pickable,
                stock: public.stock,
                buried: public.buried,
                counts: public.seats.iter().map(|seat| seat.cards).collect(),
                hand: self.hand(game, action.seat),
            }
        });
        self.steps.push(ReplayStep { entry, after });
        if self.steps.len() < self.most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}
