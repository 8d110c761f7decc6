#!/usr/bin/env python3
"""Records what a release leaves in its database, for the tests of upgrades.

Usage: tests/upgrades/record.py PROGRAM VERSION

PROGRAM is the release's binary, built for example by

    git worktree add /tmp/release COMMIT && cd /tmp/release && cargo build --locked --package yaniv --no-default-features

The script starts a PostgreSQL of its own and the program on it, plays, and writes to tests/upgrades/releases:

    VERSION.sql.zst          the database: a dump of schema and data
    VERSION.json             what the API answered at the end, to be compared; the tokens; the matches
    VERSION.statements.zst   each SQL statement of the release once, with parameters, as JSON lines

All of it is test data: the secrets in it are used nowhere else. Needs Python 3.11, PostgreSQL's programs, zstd.
"""

import glob
import itertools
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid

PASSWORD = "correct horse"
PLAYERS = ["ada", "bob", "cleo"]
STILL = {"clock": "none"}
luck = random.Random(1)


def programs():
    return os.path.dirname(sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))[-1])


def as_postgres(*command):
    prefix = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    subprocess.run([*prefix, *command], check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, cwd="/")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def guess(value):
    """The type of a parameter."""
    items = re.findall(r'[^{},"]+', value or "") if not value or value.startswith("{") else [value]
    item = next((item for item in items if item != "NULL"), None)
    if item is None:
        return "unknown"
    kinds = [("uuid", r"[0-9a-f]{8}-[0-9a-f-]{27}"), ("bytea", r"\\+x[0-9a-f]*"), ("bigint", r"-?\d+"),
             ("timestamptz", r"\d{4}-\d\d-\d\d .*"), ("date", r"\d{4}-\d\d-\d\d"), ("boolean", "[tf]"),
             ("double precision", r"-?\d+\.\d+(e.*)?")]
    kind = next((kind for kind, form in kinds if re.fullmatch(form, item)), "text")
    return kind + "[]" if value.startswith("{") else kind


def completed(types):
    """The types with each choice for those that no value tells; few have more than three."""
    places = [place for place, kind in enumerate(types) if kind == "unknown"]
    for choice in itertools.product(["text[]", "bigint[]", "bytea[]"], repeat=len(places)) if len(places) < 6 else []:
        yield [dict(zip(places, choice)).get(place, kind) for place, kind in enumerate(types)]


class Database:
    """A PostgreSQL that writes each statement to a log of JSON lines."""

    def __init__(self):
        self.home = tempfile.mkdtemp()
        self.data = f"{self.home}/data"
        self.port = free_port()
        if os.getuid() == 0:
            shutil.chown(self.home, "postgres")
        as_postgres(f"{programs()}/initdb", "-D", self.data, "-U", "yaniv", "--encoding=UTF8", "--locale=C")
        settings = (f"-p {self.port} -k {self.home} -c listen_addresses=127.0.0.1 -c fsync=off -c timezone=UTC "
                    "-c logging_collector=on -c log_destination=jsonlog -c log_directory=log -c log_filename=all")
        as_postgres(f"{programs()}/pg_ctl", "-D", self.data, "-w", "-o", settings, "start")
        self.url = f"postgres://yaniv@127.0.0.1:{self.port}/postgres"

    def run(self, sql):
        command = ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", self.url, "-c", sql]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def dump(self):
        # Rows as INSERT: whoever restores it needs no psql.
        command = ["pg_dump", "--inserts", "--rows-per-insert=500", "--no-owner", "--no-privileges", self.url]
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return re.sub(r"^\\(un)?restrict .*\n", "", text, flags=re.MULTILINE)

    def statements(self):
        found = {}
        for line in pathlib.Path(f"{self.data}/log/all.json").read_text().splitlines():
            entry = json.loads(line)
            of_service = entry.get("application_name", "").startswith("yaniv")
            match = re.match(r"execute [^:]*: ((?:SELECT|INSERT|UPDATE|DELETE|WITH)\b.*)", entry.get("message", ""),
                             re.DOTALL | re.IGNORECASE)
            if of_service and match:
                values = re.findall(r"\$\d+ = (NULL|'(?:[^']|'')*')", entry.get("detail", ""))
                values = [None if v == "NULL" else v[1:-1].replace("''", "'") for v in values]
                found.setdefault(match[1], []).append(values)
        typed = [(sql, self.types(sql, sent), sent[0]) for sql, sent in found.items()]
        return [{"sql": sql, "types": types, "parameters": values} for sql, types, values in typed if types is not None]

    def types(self, sql, sent):
        """Types of the parameters. The log has none: they are guessed from all values where PostgreSQL cannot infer them."""
        values = [next((one for one in column if guess(one) != "unknown"), column[0]) for column in zip(*sent)]
        unknown, guessed = ["unknown"] * len(values), [guess(value) for value in values]
        arrays = [kind if kind.endswith("[]") else "unknown" for kind in guessed]
        for types in (unknown, arrays, guessed, *completed(arrays), *completed(guessed)):
            prepare = f"PREPARE one{'(' + ', '.join(types) + ')' if types else ''} AS {sql}"
            tried = subprocess.run(["psql", "-X", "-q", self.url], input=prepare + ";\n", text=True, capture_output=True)
            if not tried.stderr:
                return types
        print(f"left out, as no types are known of its parameters: {sql}")
        return None

    def stop(self):
        as_postgres(f"{programs()}/pg_ctl", "-D", self.data, "-m", "fast", "stop")
        shutil.rmtree(self.home)


class Service:
    def __init__(self, program, database):
        self.address = f"http://127.0.0.1:{free_port()}"
        variables = {"DATABASE_URL": database.url, "YANIV_LISTEN": self.address[7:], "YANIV_RATE_LIMITS": "off",
                     "YANIV_PRIVATE_DESTINATIONS": "on", "YANIV_SANDBOXES": "on", "PATH": os.environ["PATH"]}
        self.process = subprocess.Popen([program, "serve"], env=variables, stderr=subprocess.DEVNULL)
        while self.process.poll() is None and self.call("GET", "/readyz")[0] != 200:
            time.sleep(0.1)

    def call(self, method, path, token=None, body=None):
        headers = {"idempotency-key": str(uuid.uuid4()), "content-type": "application/json"}
        if token:
            headers["authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                text, kind = answer.read().decode(), answer.headers.get("content-type", "")
                return answer.status, json.loads(text) if "json" in kind and text else text
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except urllib.error.URLError:
            return 0, ""

    def stop(self):
        self.process.terminate()
        assert self.process.wait() == 0

    def __del__(self):
        self.process.kill()


class Player:
    def __init__(self, service, name):
        self.service, self.name = service, name
        self.session = self.post("/v1/accounts", {"username": name, "password": PASSWORD}, token=None)

    def do(self, method, path, body=None, token="own"):
        token = self.session["access_token"] if token == "own" else token
        status, answer = self.service.call(method, path, token, body)
        if status >= 300:
            sys.exit(f"{method} {path} {json.dumps(body)}: {status} {answer}")
        return answer

    def post(self, path, body=None, token="own"):
        return self.do("POST", path, {} if body is None else body, token)

    def get(self, path):
        return self.do("GET", path)


def create(players, body):
    """A match of these players, started."""
    match = players[0].post("/v1/matches", {"size": len(players), "time_control": STILL, **body})
    for player in players[1:]:
        player.post(f"/v1/join-codes/{match['join_code']}/seats", {"client_seed": player.name})
    return players[0].post(f"/v1/matches/{match['match_id']}/start")["match_id"]


def choose(view):
    """An action that is legal: calls with few points, discards what counts most."""
    legal, body = view["legal"], {"expected_version": view["version"]}
    for question, path, answers in [("answer_call", "call-answers", ["expose", "challenge"]),
                                    ("answer_swap", "swap-answers", ["stay", "swap"]),
                                    ("answer_card_request", "card-request-answers", ["give", "keep"])]:
        if legal.get(question):
            return path, {**body, "answer": luck.choice(answers)}
    if legal.get("pass"):
        return "passes", body
    if legal.get("call") and (not legal.get("discards") or view["hand"]["points"] <= 5):
        return "calls", body
    draw = luck.choice(legal["draws"])
    play = {**body, "cards": max(legal["discards"], key=len), "draw_from": draw["draw_from"], "slam_down": "if_fits"}
    return "plays", {**play, **({"draw_card": draw["draw_card"]} if "draw_card" in draw else {})}


def play(players, match, most=None):
    """Plays until the match is over, or for this many actions."""
    done, idle = 0, 0
    while most is None or done < most:
        acted = False
        for player in players:
            view = player.get(f"/v1/matches/{match}")
            if view["status"] == "finished":
                return
            if view.get("your_turn") or any(view.get("legal", {}).get(q) for q in ("answer_call", "answer_swap",
                                                                         "answer_card_request")):
                path, body = choose(view)
                player.post(f"/v1/matches/{match}/{path}", body)
                done, acted = done + 1, True
                break
        idle = 0 if acted else idle + 1
        if idle > 200:
            sys.exit(f"nobody can act: {json.dumps(players[0].get(f'/v1/matches/{match}'))}")
        if idle:
            time.sleep(0.05)


def social(players):
    """What accounts have besides matches."""
    ada, bob, cleo = players
    for one, other in [(ada, bob), (bob, ada), (ada, cleo)]:
        one.do("PUT", f"/v1/friends/{other.name}")
    ada.do("PATCH", "/v1/account", {"display_name": "Ada L."})
    ada.do("PUT", "/v1/account/quiet-hours", {"from_time": "22:00", "to_time": "07:00", "time_zone": "Europe/Zurich"})
    ada.post("/v1/webhook-channels", {"url": f"http://127.0.0.1:{free_port()}/", "format": "standard",
                                      "immediate": True})
    bob.post("/v1/pairings", {"size": 3})
    ada.post("/v1/challenges", {"opponents": [cleo.name], "expires_in_hours": 48})
    ada.post("/v1/bots", {"username": "ada_bot"})
    cleo.post("/v1/matches", {"size": 4, "visibility": "public", "time_control": STILL})
    gone = Player(ada.service, "gone")
    gone.post("/v1/account/delete", {"password": PASSWORD})
    ada.service.call("POST", "/v1/guests", None, {"display_name": "Guest"})


def matches(players):
    ada, bob, cleo = players
    rules = {"preset": "yaniv", "max_rounds": 3}
    over = {"two": create([ada, bob], {"rules": rules}),
            "rated": create([ada, bob], {"rated": True, "rules": {"preset": "yaniv"}}),
            "three": create(players, {"rules": rules, "visibility": "public"}),
            "bots": ada.post("/v1/matches", {"size": 3, "rules": rules, "bots": ["easy", "hard"],
                                             "time_control": STILL})["match_id"]}
    ada.post(f"/v1/matches/{over['bots']}/start")
    for name, match in over.items():
        of = {"three": players, "bots": [ada]}.get(name, [ada, bob])
        play(of, match)
    running = {"running": create([ada, bob], {}), "late": create([bob, cleo], {"time_control": {
        "clock": "turn", "turn_seconds": 60, "misses": 10}}), "fresh": create(players, {"rules": {"preset": "kluft"}})}
    play([ada, bob], running["running"], 15)
    play([bob, cleo], running["late"], 4)
    return over, running


def answers(players, over, running):
    """What each player reads; the upgrade must not change it."""
    for_all = ["/v1/account", "/v1/friends", "/v1/blocks", "/v1/bots", "/v1/tokens", "/v1/account/calendar",
               "/v1/notification-settings", "/v1/challenges", "/v1/pairings", "/v1/history", "/v1/matches?status=finished",
               "/v1/profiles/ada", "/v1/profiles/ada/ratings", "/v1/profiles/ada/ratings/yaniv/changes",
               "/v1/profiles/ada/statistics", "/v1/profiles/bob/statistics", "/v1/statistics", "/v1/profiles/ada/head-to-head/bob"]
    for_match = ["", "/settings", "/log?limit=100", "/clock-changes"]
    for_over = ["/rounds", "/rounds/1", "/record", "/record/text", "/fairness", "/recap"]
    found = {}
    for player in players:
        paths = list(for_all)
        for name, match in {**over, **running}.items():
            if name != "late" and player.service.call("GET", f"/v1/matches/{match}", player.session["access_token"])[0] == 200:
                paths += [f"/v1/matches/{match}{rest}" for rest in for_match + (for_over if name in over else [])]
        found[player.name] = {}
        for path in paths:
            status, answer = player.service.call("GET", path, player.session["access_token"])
            if status == 200:
                found[player.name][path] = answer
    return found


def write(name, text):
    folder = pathlib.Path(__file__).parent / "releases"
    command = ["zstd", "-19", "-q", "-f", "-o", str(folder / name)]
    subprocess.run(command, input=text.encode(), check=True)


def main(program, version):
    database = Database()
    try:
        record(Service(program, database), database, version)
    finally:
        database.stop()


def record(service, database, version):
    # The migrations are over: from here on the statements are those of the running service.
    database.run("ALTER SYSTEM SET log_statement = 'all'")
    database.run("SELECT pg_reload_conf()")
    players = [Player(service, name) for name in PLAYERS]
    social(players)
    over, running = matches(players)
    players[2].do("PUT", f"/v1/blocks/{PLAYERS[1]}")
    time.sleep(5)  # statistics, ratings and notifications follow
    token = players[0].post("/v1/tokens", {"name": "kept", "scopes": ["read", "play"], "expires_in_days": 365})
    found = answers(players, over, running)
    refresh = {player.name: player.session["refresh_token"] for player in players}
    service.stop()
    facts = {"version": version, "password": PASSWORD, "personal_token": token["token"], "refresh_tokens": refresh,
             "over": over, "running": running, "answers": found}
    write(f"{version}.json.zst", json.dumps(facts, indent=1))
    write(f"{version}.sql.zst", database.dump())
    write(f"{version}.statements.zst", "".join(json.dumps(one) + "\n" for one in database.statements()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
