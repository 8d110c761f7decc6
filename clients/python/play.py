"""Two players play whole matches through the package that was generated from the document.

Usage: python play.py [URL]
"""

import sys
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TypeVar

import httpx
from yaniv_client import AuthenticatedClient, Client
from yaniv_client.api.accounts import register_account
from yaniv_client.api.actions import (
    answer_call,
    answer_card_request,
    answer_swap,
    request_card,
    make_call,
    pass_turn,
    play_cards,
    slam_down,
)
from yaniv_client.api.matches import create_match, get_match, get_match_settings, join_match, start_match
from yaniv_client.api.records import get_record
from yaniv_client.models import (
    AnswerCallRequest,
    AnswerCardRequestRequest,
    AnswerSwapRequest,
    RequestCardRequest,
    CallAnswer,
    MakeCallRequest,
    CreateMatchRequest,
    Credentials,
    Draw,
    JoinMatchRequest,
    Legal,
    Match,
    MatchSettings,
    PassTurnRequest,
    PlayCardsRequest,
    Problem,
    Record,
    CardRequestAnswer,
    RuleSet,
    RuleSetRequest,
    Session,
    SlamDownRequest,
    SwapAnswer,
)
from yaniv_client.types import UNSET, Response, Unset

T = TypeVar("T")
Act = Callable[[str], Response[Match | Problem]]

# Together they lead through every phase that a match can be in.
RULES = [
    RuleSetRequest.from_dict({"preset": "speedy", "max_rounds": 3}),
    RuleSetRequest.from_dict({"preset": "kluft", "max_rounds": 3}),
    RuleSetRequest.from_dict(
        {
            "preset": "yaniv",
            "max_rounds": 2,
            "over_limit": "swap",
            "response": "final_turn",
            "slam_down": "any",
            "card_requests": True,
        }
    ),
]

URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


def is_own(answer: Response[T]) -> bool:
    """Only a problem with a code is the service's own refusal: the page of a proxy is no answer."""
    kind = answer.headers.get("Content-Type", "")
    if answer.status_code < 400:
        return not kind.startswith("text/html")
    return kind.startswith("application/problem+json") and isinstance(answer.parsed, Problem)


def settle(send: Callable[[str], Response[T]]) -> Response[T]:
    """Sends a request until its answer is final, every time with the same key."""
    key = str(uuid.uuid4())
    for _ in range(30):
        seconds = "1"
        try:
            answer = send(key)
            if is_own(answer) and answer.status_code < 500 and answer.status_code not in (408, 429):
                return answer
            seconds = answer.headers.get("Retry-After", seconds)
        except (httpx.TransportError, ValueError):
            # The second: a body that is no JSON.
            pass
        time.sleep(int(seconds))
    raise TimeoutError("no final answer")


def register() -> AuthenticatedClient:
    body = Credentials(username=f"py_{uuid.uuid4().hex[:12]}", password=uuid.uuid4().hex)
    session = settle(lambda _: register_account.sync_detailed(client=Client(URL), body=body)).parsed
    assert isinstance(session, Session), session
    return AuthenticatedClient(URL, token=session.access_token)


def points(card: str, rules: RuleSet) -> int:
    worth = rules.points
    named = {"A": worth.ace, "T": 10, "J": worth.jack, "Q": worth.queen, "K": worth.king, "X": worth.joker}
    return named[card[0]] if card[0] in named else int(card[0])


def choose_play(match: Match, legal: Legal, rules: RuleSet) -> PlayCardsRequest:
    """The discard worth most; a low card from the pile, else the stock."""

    def price(draw: Draw) -> int:
        return 4 if isinstance(draw.draw_card, Unset) else points(draw.draw_card, rules)

    cards = max(legal.discards, key=lambda cards: sum(points(card, rules) for card in cards))
    draw = min(legal.draws, key=price)
    return PlayCardsRequest(match.version, cards, draw.draw_from, draw.draw_card)


def decide(client: AuthenticatedClient, match: Match, rules: RuleSet) -> Act | None:
    """What this player does now, if anything."""
    legal, hand, version = match.legal, match.hand, match.version
    if isinstance(legal, Unset) or isinstance(hand, Unset):
        return None

    if legal.answer_card_request:
        gives = AnswerCardRequestRequest(version, CardRequestAnswer.GIVE)
        return lambda key: answer_card_request.sync_detailed(match.match_id, client=client, body=gives, idempotency_key=key)
    if legal.answer_call:
        answer = CallAnswer.CHALLENGE if hand.points < 8 else CallAnswer.EXPOSE
        response = AnswerCallRequest(version, answer)
        return lambda key: answer_call.sync_detailed(match.match_id, client=client, body=response, idempotency_key=key)
    if legal.answer_swap:
        swaps = AnswerSwapRequest(version, SwapAnswer.SWAP if hand.points > 25 else SwapAnswer.STAY)
        return lambda key: answer_swap.sync_detailed(match.match_id, client=client, body=swaps, idempotency_key=key)
    if not isinstance(legal.slam_card, Unset):
        slam = SlamDownRequest(version)
        return lambda key: slam_down.sync_detailed(match.match_id, client=client, body=slam, idempotency_key=key)
    if legal.ask:
        ask = RequestCardRequest(version, legal.ask[0])
        return lambda key: request_card.sync_detailed(match.match_id, client=client, body=ask, idempotency_key=key)
    if legal.call:
        call = MakeCallRequest(version)
        return lambda key: make_call.sync_detailed(match.match_id, client=client, body=call, idempotency_key=key)
    if legal.pass_:
        passes = PassTurnRequest(version)
        return lambda key: pass_turn.sync_detailed(match.match_id, client=client, body=passes, idempotency_key=key)
    if legal.discards:
        play = choose_play(match, legal, rules)
        return lambda key: play_cards.sync_detailed(match.match_id, client=client, body=play, idempotency_key=key)
    return None


def play_seat(client: AuthenticatedClient, match_id: uuid.UUID) -> tuple[Match, int]:
    """Plays one seat until the match has a result; also counts the conflicts that it met."""
    conflicts = 0
    # They never change: fetched once, they are left out of the match.
    settings = settle(lambda _: get_match_settings.sync_detailed(match_id, client=client)).parsed
    assert isinstance(settings, MatchSettings), settings
    view = settle(lambda _: get_match.sync_detailed(match_id, client=client)).parsed
    etag: str | Unset = UNSET
    while True:
        assert isinstance(view, Match), view
        if view.result:
            return view, conflicts
        act = decide(client, view, settings.rules)
        if act:
            answer = settle(act).parsed
            if isinstance(answer, Problem) and answer.code == "version_conflict":
                # The other player was faster: choose again, on the view in the refusal.
                conflicts += 1
                view = answer.match
            else:
                view = answer
            continue
        time.sleep(0.1)
        seen = settle(lambda _: get_match.sync_detailed(match_id, client=client, if_none_match=etag))
        if seen.status_code != 304:
            view, etag = seen.parsed, seen.headers["ETag"]


def play_match(host: AuthenticatedClient, guest: AuthenticatedClient, rules: RuleSetRequest) -> int:
    new = CreateMatchRequest(size=2, rules=rules)
    match = settle(lambda key: create_match.sync_detailed(client=host, body=new, idempotency_key=key)).parsed
    assert isinstance(match, Match), match
    match_id, code, seed = match.match_id, match.join_code, JoinMatchRequest(client_seed="python")
    assert isinstance(code, str), match
    settle(lambda key: join_match.sync_detailed(code, client=guest, body=seed, idempotency_key=key))
    settle(lambda key: start_match.sync_detailed(match_id, client=host, idempotency_key=key))

    with ThreadPoolExecutor() as pool:
        ends = list(pool.map(partial(play_seat, match_id=match_id), [host, guest]))
    match = ends[0][0]
    record = settle(lambda _: get_record.sync_detailed(match_id, client=host)).parsed
    assert match.result and isinstance(record, Record) and record["format"] == "yaniv-record/1"
    winner = "shared" if isinstance(match.result.winner, Unset) else f"seat {match.result.winner}"
    print(f"python: {rules.preset}: {len(match.scores)} rounds, winner: {winner}, {match.version} actions")
    return sum(conflicts for _, conflicts in ends)


if __name__ == "__main__":
    ada, bob = register(), register()
    print(f"python: {sum(play_match(ada, bob, rules) for rules in RULES)} version conflicts resolved")
