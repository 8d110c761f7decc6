"""The shuffle `yaniv-shuffle/1`, written from the steps of fairness.md; prints its test vectors."""

import hashlib, hmac

def chain(root):
    """s[0] to s[1000]; s[1000] is the 32 random bytes."""
    s = [root]
    for _ in range(1000):
        s.insert(0, hashlib.sha256(s[0]).digest())
    return s

class Stream:
    def __init__(self, seed, match_id, k, label, client_seeds):
        self.seed, self.block, self.words, self.refused = seed, 0, [], 0
        self.start = f"yaniv-shuffle/1\n{match_id}\n{k}\n{label}\n{','.join(client_seeds)}\n"

    def word(self):
        if not self.words:
            message = (self.start + str(self.block)).encode("ascii")
            block = hmac.new(self.seed, message, hashlib.sha256).digest()
            self.words = [int.from_bytes(block[j:j + 4], "big") for j in range(0, 32, 4)]
            self.block += 1
        return self.words.pop(0)

    def uniform(self, n):
        limit = 2**32 // n * n
        while (word := self.word()) >= limit:
            self.refused += 1
        return word % n

def shuffle(stream, items):
    items = list(items)
    for i in range(len(items) - 1, 0, -1):
        j = stream.uniform(i + 1)
        items[i], items[j] = items[j], items[i]
    return items

CODES = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"] + ["XB", "XR"]

def deal(stream, packs, players, hand_size, starter):
    """All seats active, clockwise, four suits, two jokers in each pack."""
    deck = shuffle(stream, [code for code in CODES for _ in range(packs)])
    hands = [[] for _ in range(players)]
    for _ in range(hand_size):
        for i in range(players):
            hands[(starter + i) % players].append(deck.pop(0))
    return hands, deck.pop(0), deck

def show(name, value):
    if isinstance(value, list):
        value = " ".join(map(str, value))
    print(f"{name} = {value}")

s = chain(bytes(range(32)))
for k in (1000, 999, 500, 1, 0):
    show(f"s[{k}]", s[k].hex())

seeds = ["", ""]
stream = Stream(s[1], "m", 1, "deal", seeds)
show("stream.words", [f"{stream.word():08x}" for _ in range(10)])

stream = Stream(s[1], "m", 1, "deal", seeds)
show("uniform.below", 3_000_000_000)
show("uniform.drawn", [stream.uniform(3_000_000_000) for _ in range(5)])
show("uniform.refused", stream.refused)

for name, match_id, seeds in (("plain", "m", ["", ""]), ("refused", "rejected-3331829", ["", ""]),
                              ("seeded", "0192f0c1-7c5a-7d3e-8a7b-0123456789ab", ["a b~!", "mine"])):
    starter = Stream(s[1], match_id, 1, "starter", seeds).uniform(2)
    stream = Stream(s[1], match_id, 1, "deal", seeds)
    hands, upcard, stock = deal(stream, 1, 2, 5, starter)
    show(f"{name}.match_id", match_id)
    show(f"{name}.client_seeds", ",".join(seeds))
    show(f"{name}.starter", starter)
    show(f"{name}.hand[0]", hands[0])
    show(f"{name}.hand[1]", hands[1])
    show(f"{name}.upcard", upcard)
    show(f"{name}.stock", stock)
    show(f"{name}.refused", stream.refused)

show("seats.client_seeds", "ann,,carl,dora")
show("seats.order", shuffle(Stream(s[1], "m", 1, "seats", ["ann", "", "carl", "dora"]), range(4)))
show("recycle.label", "recycle-2")
show("recycle.before", ["AC", "2D", "3H", "4S", "XB", "XR"])
show("recycle.after", shuffle(Stream(s[1], "m", 1, "recycle-2", ["", ""]), ["AC", "2D", "3H", "4S", "XB", "XR"]))
