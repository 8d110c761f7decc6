"""Matches in play for schemathesis: without them every action ends at `match_not_found`.

As a program, it registers the account of the requests and prints a device token. Log-ins with it have a counter of their
own: generated requests guess passwords for the name.
"""

import itertools
import json
import os
import re
import urllib.request

URL = os.environ["YANIV_URL"]
PASSWORD = "correct horse battery"
# How often a match is used; after that it is probably over.
USES = 25
WAITING = ("/v1/matches/{match_id}/events", "/v1/events")
FORMS = {"match_id": re.compile("[0-9a-f-]{36}"), "join_code": re.compile("[0-9A-Z]{8}")}


def post(path, token=None, body=None):
    headers = {"content-type": "application/json"}
    if token:
        headers["authorization"] = f"Bearer {token}"
    request = urllib.request.Request(URL + path, json.dumps(body or {}).encode(), headers)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def log_in(name, **device):
    return post("/v1/sessions", body={"username": name, "password": PASSWORD, **device})


def register(name):
    post("/v1/accounts", body={"username": name, "password": PASSWORD})


if __name__ == "__main__":
    register("schemathesis")
    print(log_in("schemathesis")["device_token"])
    raise SystemExit

import schemathesis

opponents = (f"opponent_{number}" for number in itertools.count(1))
started = {"match_id": None, "join_code": None, "uses": USES}


def match_in_play():
    if started["uses"] >= USES:
        # A new account each time: generated requests block accounts whose names they have seen.
        opponent = next(opponents)
        register(opponent)
        sessions = log_in("schemathesis", device_token=os.environ["DEVICE_TOKEN"]), log_in(opponent)
        tokens = [session["access_token"] for session in sessions]
        made = post("/v1/matches", tokens[0], {"size": 2, "rules": {"preset": "dhumbal"}})
        post(f"/v1/join-codes/{made['join_code']}/seats", tokens[1])
        post(f"/v1/matches/{made['match_id']}/start", tokens[0])
        started.update(match_id=made["match_id"], join_code=made["join_code"], uses=0)
    started["uses"] += 1
    return started


turn = itertools.cycle((True, False))


@schemathesis.hook
def before_call(context, case, kwargs):
    """Every other request that names a match names one in play; what is no identifier stays as it is."""
    parameters = case.path_parameters or {}
    for name, field in (("match_id", "match_id"), ("code", "join_code")):
        if FORMS[field].fullmatch(str(parameters.get(name, ""))) and next(turn):
            parameters[name] = match_in_play()[field]
    # No long polls here.
    if case.operation.path in WAITING:
        wait = str((case.query or {}).get("wait", 25))
        if wait.isdecimal() and int(wait) <= 50:
            case.query = {**(case.query or {}), "wait": 0}
