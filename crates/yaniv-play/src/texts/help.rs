//! Texts of the command `help`.

/// In the list of matches.
pub(crate) const LOBBY: &str = "
  1, 2, 3 …    open the match with that number
  new          create a match and get a code to share
  7KQ2MXDR     a code that you were given, or a link with it: join that match
  pair         play with anyone; pair 3: as three players; pair 2 speedy: by other rules
  challenge bob,carol
               challenge them; rules may follow. The match begins when all have accepted
  claim NAME   as a guest: keep your account, under a name and with a password
  language de  the language of your notifications: en, he, ne, nl or de
  old          matches that are over
  Enter        look again
  quit         leave the program; your matches go on, and wait for you";

/// While a match waits for players.
pub(crate) const ROOM: &str = "
  start        deal the cards (the host from two players on, any player when all seats are taken)
  rules        the rules of this match
  leave        give your seat back
  Enter        go back to your matches; this one stays open
  quit         leave the program";

/// After a match.
pub(crate) const AFTER: &str = "
  rematch      play again with the same people: offer it, accept it, or go to the one that has begun
  decline      decline an offered rematch
  scores       the score sheet
  log, log 50  what happened
  rules        the rules of this match
  record FILE  save the record, by which every card can be checked (yaniv verify FILE)
  Enter        go to your matches
  quit         leave the program";

/// In a match.
pub(crate) const MATCH: &str = "
A turn is: throw one or more cards, then draw one. You can throw several cards of one rank, or three or more in a row of
one suit. A player with few enough points may call; then all hands are shown.

  3 s          throw number 3 of the list and draw from the stock
  3 p1         the same, but take the card p1 of the pile
  7H 8H 9H s   cards can be typed, too: A 2 … 9 10 J Q K with C D H S; X is a joker
  3 p7H        and so can the card of the pile
  3 s !        slam the drawn card down if it fits, where the rules have that

  call         say Yaniv (or another word: call jhyap)
  slam, ask 7H, give, keep, challenge, expose, swap, stay, pass
               where the rules have them; the table says when
  dedicate WORDS
               dedicate the turned-up card, as the dealer of a round
  resign       give up

  table        show the table again; all: with everything that can be thrown
  scores       the score sheet
  rules        the rules of this match
  log, log 50  what happened
  record FILE  save the record, by which every card can be checked (yaniv verify FILE)
  auto         let the program choose your moves to the end of this match, or stop that
  back         go to your matches (Enter does that, too, while you wait)
  quit         leave the program; the match goes on, and waits for you";
