# Mitteilungen auf Deutsch, mit „du“. Das Format und die Variablen stehen in en.ftl.

opponents =
    { $others ->
        [0] { $opponent }
        [1] { $opponent } und { $second }
       *[other] { $opponent } und { $others } andere
    }
points =
    { $points ->
        [one] { $points } Punkt
       *[other] { $points } Punkte
    }
rounds =
    { $rounds ->
        [one] { $rounds } Runde
       *[other] { $rounds } Runden
    }
place = Platz { $place }
word =
    { $word ->
        [yaniv] Yaniv
        [jhyap] Jhyap
        [kluft] Kluft
        [yan] Yan
       *[other] { $word }
    }

weekday =
    { $weekday ->
        [1] Mo
        [2] Di
        [3] Mi
        [4] Do
        [5] Fr
        [6] Sa
       *[7] So
    }
month = { $month }.
deadline-soon = { weekday } { $time }
deadline-later = { weekday }, { $day }.{ month } { $time }

your-turn =
    .title = Du bist am Zug
    .body = Runde { $round } gegen { opponents }.
match-started =
    .title = Du bist am Zug
    .body = Die Partie gegen { opponents } hat begonnen.
last-turn =
    .title = { $player } ruft { word }
    .body = Runde { $round } gegen { opponents }: dein letzter Zug.
answer-call =
    .title = { $player } ruft { word }
    .body = Runde { $round } gegen { opponents }: zeigen oder dagegenhalten?
answer-swap =
    .title = { $player } will die Hand tauschen
    .body = Runde { $round } gegen { opponents }: annehmen oder ablehnen?
answer-request =
    .title = { $player } bittet um eine Karte
    .body = Runde { $round } gegen { opponents }: geben oder behalten?
deadline-near =
    .title = Deine Zeit wird knapp
    .body = Bis { $deadline }: Runde { $round } gegen { opponents }.
table-full =
    .title = Dein Tisch ist voll
    .body = Alle sind da: Starte die Partie gegen { opponents }.
nudged =
    .title = { $player } wartet auf dich
    .body = Runde { $round } gegen { opponents }: du bist am Zug.
invited =
    .title = Herausforderung von { $player }
    .body = Du bist zu einer Partie eingeladen.
round-over =
    .title = Runde { $round } ist vorbei
    .body = Du hast gegen { opponents } { points } bekommen.
round-unscored =
    .title = Runde { $round } ist vorbei
    .body = Sie endete ohne Wertung, gegen { opponents }.
match-won =
    .title = Du hast gewonnen!
    .body = Die Partie gegen { opponents } endete nach { rounds }.
match-shared =
    .title = Ein geteilter Sieg
    .body = Die Partie gegen { opponents } endete nach { rounds }.
match-lost =
    .title = Die Partie ist vorbei
    .body = { place } von { $players } gegen { opponents }, nach { rounds }.
match-ended =
    .title = Die Partie ist vorbei
    .body = Es war die gegen { opponents }.
test =
    .title = Mitteilungen funktionieren
    .body = Sie kommen hier an.
digest =
    .title =
        { $matches ->
            [one] Eine Partie wartet auf dich
           *[other] { $matches } Partien warten auf dich
        }
    .body = Das ist deine tägliche Übersicht.
verify-email =
    .title = Bestätige deine E-Mail-Adresse
    .body = Öffne den Link oder gib den Code in deiner App ein. Beides gilt 24 Stunden. Wenn das nicht von dir kommt, tu nichts.
reset-password =
    .title = Wähle ein neues Passwort
    .body = Öffne den Link oder gib den Code in deiner App ein. Beides gilt einmal, eine Stunde. Wenn das nicht von dir kommt, tu nichts.
email-removed =
    .title = Diese E-Mail-Adresse gehört nicht mehr zu deinem Konto
    .body = Sie wurde ersetzt oder entfernt. Warst du das nicht, hol sie hier binnen sieben Tagen zurück und setze dein Passwort neu: Das meldet alle Geräte ab.
new-device =
    .title = Anmeldung auf einem neuen Gerät
    .body = Wenn du das nicht warst, ändere jetzt dein Passwort: Das meldet alle anderen Geräte ab.
new-app =
    .title = Eine neue App darf dein Konto benutzen
    .body = Wenn du das nicht erlaubt hast, entferne sie hier und ändere dein Passwort.
password-changed =
    .title = Dein Passwort wurde geändert
    .body = Wenn du das nicht warst, setze dein Passwort jetzt zurück: Das meldet alle Geräte ab.
passkey-added =
    .title = Ein Passkey wurde hinzugefügt
    .body = Wenn du das nicht warst, entferne ihn hier und ändere dein Passwort.
identity-linked =
    .title = Eine Anmeldung wurde verknüpft
    .body = Wenn du das nicht warst, trenne sie hier und ändere dein Passwort.

# Lines of an e-mail besides title and body.
email =
    .greeting = Hallo { $player },
    .code = Code: { $code }
    .unsubscribe = Keine solchen E-Mails mehr:

# The page behind that link.
unsubscribe =
    .title = E-Mails von Yaniv
    .question = Möchtest du keine Benachrichtigungen per E-Mail mehr?
    .button = Abbestellen
    .done = Du bekommst keine Benachrichtigungen per E-Mail mehr. In der App kannst du sie wieder einschalten.
    .invalid = Dieser Link ist nicht gültig. Schalte die E-Mails in der App aus.
