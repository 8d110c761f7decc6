# Notifications in English. The format is Fluent (https://projectfluent.org).
#
# A title has at most 60 characters, a body 150, with names of 20 characters. Every language has the same messages with the
# same variables; a test compares them. Digits are 0 to 9 in every language.
#
#   $opponent, $second   names of the first two opponents
#   $others              number of opponents besides the first
#   $player              who called, asks, reminds or challenges
#   $word                the word of a call: yaniv, jhyap, kluft, yan, or another one
#   $matches             number of matches that wait for the player
#   $code                a code of letters and digits

opponents =
    { $others ->
        [0] { $opponent }
        [1] { $opponent } and { $second }
       *[other] { $opponent } and { $others } others
    }
points =
    { $points ->
        [one] { $points } point
       *[other] { $points } points
    }
rounds =
    { $rounds ->
        [one] { $rounds } round
       *[other] { $rounds } rounds
    }
place =
    { NUMBER($place, type: "ordinal") ->
        [one] { $place }st
        [two] { $place }nd
        [few] { $place }rd
       *[other] { $place }th
    }
word =
    { $word ->
        [yaniv] Yaniv
        [jhyap] Jhyap
        [kluft] Kluft
        [yan] Yan
       *[other] { $word }
    }

# A deadline, in the player's time zone. 1 is Monday.
weekday =
    { $weekday ->
        [1] Mon
        [2] Tue
        [3] Wed
        [4] Thu
        [5] Fri
        [6] Sat
       *[7] Sun
    }
month =
    { $month ->
        [1] Jan
        [2] Feb
        [3] Mar
        [4] Apr
        [5] May
        [6] Jun
        [7] Jul
        [8] Aug
        [9] Sep
        [10] Oct
        [11] Nov
       *[12] Dec
    }
# Within the next days.
deadline-soon = { weekday } { $time }
# Later: the weekday alone does not tell the day.
deadline-later = { weekday } { $day } { month }, { $time }

your-turn =
    .title = Your turn
    .body = Round { $round } against { opponents }.
match-started =
    .title = Your turn
    .body = The match against { opponents } has started.
last-turn =
    .title = { $player } called { word }
    .body = Round { $round } against { opponents }: your last turn.
answer-call =
    .title = { $player } called { word }
    .body = Round { $round } against { opponents }: expose or challenge?
answer-swap =
    .title = { $player } offers to swap hands
    .body = Round { $round } against { opponents }: accept or decline?
answer-request =
    .title = { $player } asks for a card
    .body = Round { $round } against { opponents }: give it or keep it?
deadline-near =
    .title = Your time runs out
    .body = Until { $deadline }: round { $round } against { opponents }.
table-full =
    .title = Your table is full
    .body = Everyone is here: start the match against { opponents }.
nudged =
    .title = { $player } is waiting for you
    .body = Round { $round } against { opponents }: it is your turn.
invited =
    .title = Challenge from { $player }
    .body = You are invited to a match.
round-over =
    .title = Round { $round } is over
    .body = You scored { points } against { opponents }.
round-unscored =
    .title = Round { $round } is over
    .body = It ended without a score, against { opponents }.
match-won =
    .title = You have won!
    .body = The match against { opponents } ended after { rounds }.
match-shared =
    .title = A shared win
    .body = The match against { opponents } ended after { rounds }.
match-lost =
    .title = The match is over
    .body = You came { place } of { $players } against { opponents }, after { rounds }.
match-ended =
    .title = The match is over
    .body = It was against { opponents }.
test =
    .title = Notifications work
    .body = They arrive here.
digest =
    .title =
        { $matches ->
            [one] A match waits for you
           *[other] { $matches } matches wait for you
        }
    .body = This is your daily digest.
verify-email =
    .title = Confirm your e-mail address
    .body = Open the link, or type the code in your app. Both work for 24 hours. If you did not ask for this, do nothing.
reset-password =
    .title = Choose a new password
    .body = Open the link, or type the code in your app. Both work once, for an hour. If you did not ask for this, do nothing.
email-removed =
    .title = This e-mail address no longer belongs to your account
    .body = It was replaced or removed. If it was not you, take it back here within seven days. Then reset your password: that logs out all devices.
new-device =
    .title = Log-in on a new device
    .body = If it was not you, change your password now: that logs out all other devices.
new-app =
    .title = A new app may use your account
    .body = If you did not allow it, remove it here, and change your password.
password-changed =
    .title = Your password was changed
    .body = If it was not you, reset your password now: that logs out all devices.
passkey-added =
    .title = A passkey was added
    .body = If it was not you, remove it here, and change your password.
identity-linked =
    .title = A log-in was linked
    .body = If it was not you, unlink it here, and change your password.

# Lines of an e-mail besides title and body.
email =
    .greeting = Hello { $player },
    .code = Code: { $code }
    .unsubscribe = No more e-mails like this one:

# The page behind that link.
unsubscribe =
    .title = E-mails of Yaniv
    .question = Do you want no more notifications by e-mail?
    .button = Unsubscribe
    .done = You get no more notifications by e-mail. You can turn them on again in the app.
    .invalid = This link is not valid. Turn off the e-mails in the app.
