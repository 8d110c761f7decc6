"""The golden records in their compact form, made from the JSON by docs/records.md alone: an implementation that shares no code with the
engine's. `python3 records.py` writes records/*.txt anew; the tests hold the engine against them."""
import datetime
import json
import pathlib
import re

PRESETS = {"dhumbal-3": "dhumbal", "jhyap-3": "jhyap", "kluft-4": "kluft", "speedy-2": "speedy"}
DIFFERS = {"everything-3": ["over_limit", "response", "bonus", "slam_down", "card_requests"]}


def text(value, plain):
    if re.fullmatch(f"[A-Za-z0-9{re.escape(plain)}]+", value):
        return value
    return json.dumps(value, ensure_ascii=False)


def numbers(values):
    return ",".join(map(str, values)) or "-"


def hands(values):
    return "".join(" " + ("".join(hand) or "-") for hand in values)


def seconds(at):
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", at):
        return None
    return int(datetime.datetime.fromisoformat(at.replace("Z", "+00:00")).timestamp())


def compact(name, record):
    rules = PRESETS.get(name, "yaniv")
    if name in DIFFERS:
        options = {option: record["rules"][option] for option in DIFFERS[name]}
        rules += " " + json.dumps(options, separators=(",", ":"))
    lines = ["yaniv-text/1", "match " + text(record["match_id"], "_.-"), "rules " + rules]
    lines.append("commitment " + record["commitment"])
    for player in record["players"]:
        seed = player["client_seed"]
        line = f"player {player['seat']} {text(player['name'], '_.-')}"
        lines.append(line + (" " + text(seed, "_.-") if seed else ""))
    clock = None
    for played in record["rounds"]:
        lines.append(f"round {played['round']} {played['starter']} {played.get('seed', '-')}")
        lines.append(f"dealt {played['upcard']}{hands(played['hands'])}")
        if "gift" in played:
            lines.append(f"gift {played['gift']['seat']} {text(played['gift']['text'], '_.-')}")
        line = "played"
        for action in played["actions"]:
            line += f" {action['seat']}:{text(action['action'], '+#:-')}"
            if "drew" in action:
                line += "=" + action["drew"]
            if "at" in action:
                now = seconds(action["at"])
                if now is not None and clock is not None and now >= clock:
                    line += f"@+{now - clock}"
                else:
                    line += "@" + text(action["at"], ":.-")
                clock = clock if now is None else now
            if "automatic" in action:
                line += "!" + text(action["automatic"], "_.-")
        if played["actions"]:
            lines.append(line)
        if "result" in played:
            of = played["result"]
            lists = " ".join(numbers(of[what]) for what in ("points", "scores", "totals", "reduced", "out"))
            lines.append(f"scored {of['caller']} {lists}{hands(of['hands'])}")
    if "result" in record:
        winner = record["result"]["winner"]
        lines.append(f"result {'-' if winner is None else winner} {numbers(record['result']['ranking'])}")
    return "\n".join(lines) + "\n"


for path in sorted(pathlib.Path(__file__).with_name("records").glob("*.json")):
    path.with_suffix(".txt").write_text(compact(path.stem, json.loads(path.read_text())))
