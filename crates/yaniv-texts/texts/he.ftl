# הודעות בעברית, בלי פנייה בלשון זכר או נקבה. הצורה והמשתנים מתוארים ב־en.ftl.
# Names come with Unicode isolates (U+2068, U+2069): do not write them here.

opponents =
    { $others ->
        [0] { $opponent }
        [1] { $opponent } ו־{ $second }
        [two] { $opponent } ועוד שני שחקנים
       *[other] { $opponent } ועוד { $others } שחקנים
    }
points =
    { $points ->
        [one] נקודה אחת
        [two] שתי נקודות
       *[other] { $points } נקודות
    }
rounds =
    { $rounds ->
        [one] סיבוב אחד
        [two] שני סיבובים
       *[other] { $rounds } סיבובים
    }
place = מקום { $place }
word =
    { $word ->
        [yaniv] יניב
        [jhyap] ג׳יאפ
        [kluft] קלופט
        [yan] יאן
       *[other] { $word }
    }

weekday =
    { $weekday ->
        [1] יום ב׳
        [2] יום ג׳
        [3] יום ד׳
        [4] יום ה׳
        [5] יום ו׳
        [6] שבת
       *[7] יום א׳
    }
month = { $month }
deadline-soon = { weekday } { $time }
deadline-later = { weekday }, { $day }.{ month } בשעה { $time }

your-turn =
    .title = תורך
    .body = סיבוב { $round } מול { opponents }.
match-started =
    .title = תורך
    .body = המשחק מול { opponents } התחיל.
last-turn =
    .title = הכרזת { word } של { $player }
    .body = סיבוב { $round } מול { opponents }: התור האחרון שלך.
answer-call =
    .title = הכרזת { word } של { $player }
    .body = סיבוב { $round } מול { opponents }: חשיפה או אתגר?
answer-swap =
    .title = הצעה להחלפת יד מ־{ $player }
    .body = סיבוב { $round } מול { opponents }: אישור או סירוב?
answer-request =
    .title = בקשת קלף מ־{ $player }
    .body = סיבוב { $round } מול { opponents }: לתת או להשאיר?
deadline-near =
    .title = הזמן שלך אוזל
    .body = עד { $deadline }: סיבוב { $round } מול { opponents }.
table-full =
    .title = השולחן מלא
    .body = כולם כאן: אפשר להתחיל את המשחק מול { opponents }.
nudged =
    .title = תזכורת מ־{ $player }
    .body = סיבוב { $round } מול { opponents }: תורך.
invited =
    .title = הזמנה למשחק מ־{ $player }
    .body = הוזמנת לשחק.
round-over =
    .title = סיבוב { $round } הסתיים
    .body = קיבלת { points } מול { opponents }.
round-unscored =
    .title = סיבוב { $round } הסתיים
    .body = בלי ניקוד, מול { opponents }.
match-won =
    .title = ניצחת!
    .body = המשחק מול { opponents } הסתיים אחרי { rounds }.
match-shared =
    .title = ניצחון משותף
    .body = המשחק מול { opponents } הסתיים אחרי { rounds }.
match-lost =
    .title = המשחק הסתיים
    .body = { place } מתוך { $players } מול { opponents }, אחרי { rounds }.
match-ended =
    .title = המשחק הסתיים
    .body = המשחק היה מול { opponents }.
test =
    .title = ההודעות עובדות
    .body = הן יגיעו לכאן.
digest =
    .title =
        { $matches ->
            [one] משחק אחד מחכה לך
           *[other] { $matches } משחקים מחכים לך
        }
    .body = זה הסיכום היומי שלך.
verify-email =
    .title = אישור כתובת הדוא״ל שלך
    .body = יש לפתוח את הקישור או להקליד את הקוד באפליקציה. שניהם תקפים ל־24 שעות. אם לא ביקשת זאת, אין צורך לעשות דבר.
reset-password =
    .title = בחירת סיסמה חדשה
    .body = יש לפתוח את הקישור או להקליד את הקוד באפליקציה. שניהם תקפים פעם אחת, לשעה. אם לא ביקשת זאת, אין צורך לעשות דבר.
email-removed =
    .title = כתובת הדוא״ל הזו כבר לא שייכת לחשבון שלך
    .body = היא הוחלפה או הוסרה. אם זה לא היית אתה או את, אפשר להחזיר אותה כאן בתוך שבעה ימים. אחר כך יש לאפס את הסיסמה: זה מוציא את כל המכשירים.
new-device =
    .title = כניסה ממכשיר חדש
    .body = אם זה לא היית אתה או את, יש לשנות את הסיסמה עכשיו: כל שאר המכשירים ינותקו.
new-app =
    .title = יישום חדש רשאי להשתמש בחשבון שלך
    .body = אם לא אישרת זאת, יש להסיר אותו כאן ולשנות את הסיסמה.
password-changed =
    .title = הסיסמה שלך שונתה
    .body = אם זה לא היית אתה או את, יש לאפס את הסיסמה עכשיו: כל המכשירים ינותקו.
passkey-added =
    .title = נוסף מפתח גישה
    .body = אם זה לא היית אתה או את, יש להסיר אותו כאן ולשנות את הסיסמה.
identity-linked =
    .title = קושרה כניסה לחשבון
    .body = אם זה לא היית אתה או את, יש לבטל את הקישור כאן ולשנות את הסיסמה.

# Lines of an e-mail besides title and body.
email =
    .greeting = שלום { $player },
    .code = קוד: { $code }
    .unsubscribe = בלי עוד הודעות כאלה:

# The page behind that link.
unsubscribe =
    .title = הודעות דוא״ל של יניב
    .question = לא לקבל עוד התראות בדוא״ל?
    .button = ביטול ההרשמה
    .done = לא יישלחו אליך עוד התראות בדוא״ל. אפשר להפעיל אותן שוב באפליקציה.
    .invalid = הקישור אינו תקף. אפשר לכבות את ההודעות באפליקציה.
