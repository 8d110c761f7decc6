# Meldingen in het Nederlands, met „je”. De vorm en de variabelen staan in en.ftl.

opponents =
    { $others ->
        [0] { $opponent }
        [1] { $opponent } en { $second }
       *[other] { $opponent } en { $others } anderen
    }
points =
    { $points ->
        [one] { $points } punt
       *[other] { $points } punten
    }
rounds =
    { $rounds ->
        [one] { $rounds } ronde
       *[other] { $rounds } rondes
    }
place = { $place }e
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
        [1] ma
        [2] di
        [3] wo
        [4] do
        [5] vr
        [6] za
       *[7] zo
    }
month =
    { $month ->
        [1] jan
        [2] feb
        [3] mrt
        [4] apr
        [5] mei
        [6] jun
        [7] jul
        [8] aug
        [9] sep
        [10] okt
        [11] nov
       *[12] dec
    }
deadline-soon = { weekday } { $time }
deadline-later = { weekday } { $day } { month } { $time }

your-turn =
    .title = Jij bent aan zet
    .body = Ronde { $round } tegen { opponents }.
match-started =
    .title = Jij bent aan zet
    .body = De partij tegen { opponents } is begonnen.
last-turn =
    .title = { $player } riep { word }
    .body = Ronde { $round } tegen { opponents }: je laatste beurt.
answer-call =
    .title = { $player } riep { word }
    .body = Ronde { $round } tegen { opponents }: tonen of uitdagen?
answer-swap =
    .title = { $player } wil van hand ruilen
    .body = Ronde { $round } tegen { opponents }: aannemen of weigeren?
answer-request =
    .title = { $player } vraagt om een kaart
    .body = Ronde { $round } tegen { opponents }: geven of houden?
deadline-near =
    .title = Je tijd raakt op
    .body = Tot { $deadline }: ronde { $round } tegen { opponents }.
table-full =
    .title = Je tafel is vol
    .body = Iedereen is er: start de partij tegen { opponents }.
nudged =
    .title = { $player } wacht op je
    .body = Ronde { $round } tegen { opponents }: jij bent aan zet.
invited =
    .title = Uitdaging van { $player }
    .body = Je bent uitgenodigd voor een partij.
round-over =
    .title = Ronde { $round } is voorbij
    .body = Je kreeg { points } tegen { opponents }.
round-unscored =
    .title = Ronde { $round } is voorbij
    .body = Die eindigde zonder punten, tegen { opponents }.
match-won =
    .title = Je hebt gewonnen!
    .body = De partij tegen { opponents } eindigde na { rounds }.
match-shared =
    .title = Een gedeelde winst
    .body = De partij tegen { opponents } eindigde na { rounds }.
match-lost =
    .title = De partij is voorbij
    .body = Je werd { place } van de { $players } tegen { opponents }, na { rounds }.
match-ended =
    .title = De partij is voorbij
    .body = Het was die tegen { opponents }.
test =
    .title = Meldingen werken
    .body = Ze komen hier aan.
digest =
    .title =
        { $matches ->
            [one] Eén potje wacht op je
           *[other] { $matches } potjes wachten op je
        }
    .body = Dit is je dagelijkse overzicht.
verify-email =
    .title = Bevestig je e-mailadres
    .body = Open de link of typ de code in je app. Beide gelden 24 uur. Heb je hier niet om gevraagd, doe dan niets.
reset-password =
    .title = Kies een nieuw wachtwoord
    .body = Open de link of typ de code in je app. Beide gelden één keer, een uur lang. Heb je hier niet om gevraagd, doe dan niets.
email-removed =
    .title = Dit e-mailadres hoort niet meer bij je account
    .body = Het is vervangen of verwijderd. Was jij dat niet, haal het binnen zeven dagen hier terug en kies een nieuw wachtwoord: dat logt alle apparaten uit.
new-device =
    .title = Inloggen op een nieuw apparaat
    .body = Was jij dat niet, wijzig dan nu je wachtwoord: dat logt alle andere apparaten uit.
new-app =
    .title = Een nieuwe app mag je account gebruiken
    .body = Heb je dat niet toegestaan, verwijder de app dan hier en wijzig je wachtwoord.
password-changed =
    .title = Je wachtwoord is gewijzigd
    .body = Was jij dat niet, stel je wachtwoord dan nu opnieuw in: dat logt alle apparaten uit.
passkey-added =
    .title = Er is een passkey toegevoegd
    .body = Was jij dat niet, verwijder hem dan hier en wijzig je wachtwoord.
identity-linked =
    .title = Er is een login gekoppeld
    .body = Was jij dat niet, ontkoppel hem dan hier en wijzig je wachtwoord.

# Lines of an e-mail besides title and body.
email =
    .greeting = Hallo { $player },
    .code = Code: { $code }
    .unsubscribe = Niet meer zulke e-mails:

# The page behind that link.
unsubscribe =
    .title = E-mails van Yaniv
    .question = Wil je geen meldingen per e-mail meer?
    .button = Afmelden
    .done = Je krijgt geen meldingen per e-mail meer. In de app kun je ze weer aanzetten.
    .invalid = Deze link is niet geldig. Zet de e-mails uit in de app.
