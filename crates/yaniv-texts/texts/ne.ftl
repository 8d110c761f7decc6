# नेपालीमा सूचनाहरू, "तपाईं" सँग। ढाँचा र चरहरू en.ftl मा छन्।

opponents =
    { $others ->
        [0] { $opponent }
        [1] { $opponent } र { $second }
       *[other] { $opponent } र अरू { $others } जना
    }
points =
    { $points ->
        [one] { $points } अंक
       *[other] { $points } अंक
    }
rounds =
    { $rounds ->
        [one] { $rounds } राउन्ड
       *[other] { $rounds } राउन्ड
    }
place = स्थान { $place }
word =
    { $word ->
        [yaniv] यानिभ
        [jhyap] ज्याप
        [kluft] क्लुफ्ट
        [yan] यान
       *[other] { $word }
    }

weekday =
    { $weekday ->
        [1] सोम
        [2] मंगल
        [3] बुध
        [4] बिही
        [5] शुक्र
        [6] शनि
       *[7] आइत
    }
month =
    { $month ->
        [1] जनवरी
        [2] फेब्रुअरी
        [3] मार्च
        [4] अप्रिल
        [5] मे
        [6] जुन
        [7] जुलाई
        [8] अगस्ट
        [9] सेप्टेम्बर
        [10] अक्टोबर
        [11] नोभेम्बर
       *[12] डिसेम्बर
    }
deadline-soon = { weekday } { $time }
deadline-later = { weekday }, { month } { $day }, { $time }

your-turn =
    .title = तपाईंको पालो
    .body = राउन्ड { $round }, { opponents } सँग।
match-started =
    .title = तपाईंको पालो
    .body = { opponents } सँगको खेल सुरु भयो।
last-turn =
    .title = { $player } ले { word } भन्यो
    .body = राउन्ड { $round }, { opponents } सँग: तपाईंको अन्तिम पालो।
answer-call =
    .title = { $player } ले { word } भन्यो
    .body = राउन्ड { $round }, { opponents } सँग: देखाउने कि चुनौती?
answer-swap =
    .title = { $player } ले हात साट्न चाहन्छ
    .body = राउन्ड { $round }, { opponents } सँग: स्वीकार कि अस्वीकार?
answer-request =
    .title = { $player } ले तास माग्यो
    .body = राउन्ड { $round }, { opponents } सँग: दिने कि राख्ने?
deadline-near =
    .title = तपाईंको समय सकिँदै छ
    .body = { $deadline } सम्म: राउन्ड { $round }, { opponents } सँग।
table-full =
    .title = तपाईंको टेबल भरियो
    .body = सबै आइपुगे: { opponents } सँगको खेल सुरु गर्नुहोस्।
nudged =
    .title = { $player } ले सम्झायो
    .body = राउन्ड { $round }, { opponents } सँग: तपाईंको पालो।
invited =
    .title = { $player } को निम्तो
    .body = तपाईंलाई खेल्न बोलाइयो।
round-over =
    .title = राउन्ड { $round } सकियो
    .body = { opponents } सँग तपाईंलाई { points }।
round-unscored =
    .title = राउन्ड { $round } सकियो
    .body = { opponents } सँग, अंक बिना।
match-won =
    .title = तपाईंले जित्नुभयो!
    .body = { opponents } सँगको खेल { rounds } पछि सकियो।
match-shared =
    .title = साझा जित
    .body = { opponents } सँगको खेल { rounds } पछि सकियो।
match-lost =
    .title = खेल सकियो
    .body = { opponents } सँग { rounds } पछि { $players } जनामध्ये { place }।
match-ended =
    .title = खेल सकियो
    .body = { opponents } सँगको खेल।
test =
    .title = सूचना चल्छ
    .body = सूचनाहरू यहाँ आउँछन्।
digest =
    .title =
        { $matches ->
            [one] एउटा खेल तपाईंलाई पर्खिरहेको छ
           *[other] { $matches } खेल तपाईंलाई पर्खिरहेका छन्
        }
    .body = यो तपाईंको दैनिक सारांश हो।
verify-email =
    .title = आफ्नो इमेल ठेगाना पुष्टि गर्नुहोस्
    .body = लिङ्क खोल्नुहोस्, वा एपमा कोड लेख्नुहोस्। दुवै 24 घण्टा चल्छन्। तपाईंले मागेको होइन भने केही नगर्नुहोस्।
reset-password =
    .title = नयाँ पासवर्ड छान्नुहोस्
    .body = लिङ्क खोल्नुहोस्, वा एपमा कोड लेख्नुहोस्। दुवै एक पटक, एक घण्टा चल्छन्। तपाईंले मागेको होइन भने केही नगर्नुहोस्।
email-removed =
    .title = यो इमेल ठेगाना अब तपाईंको खातामा छैन
    .body = यो बदलियो वा हटाइयो। यो तपाईं होइन भने सात दिनभित्र यहाँबाट फिर्ता लिनुहोस्। त्यसपछि पासवर्ड फेरि राख्नुहोस्: सबै यन्त्र लग आउट हुन्छन्।
new-device =
    .title = नयाँ उपकरणमा लगइन
    .body = यो तपाईं होइन भने अहिले नै पासवर्ड बदल्नुहोस्: अरू सबै उपकरण लगआउट हुन्छन्।
new-app =
    .title = नयाँ एपले तपाईंको खाता प्रयोग गर्न सक्छ
    .body = तपाईंले अनुमति दिनुभएको होइन भने यहाँबाट हटाउनुहोस् र पासवर्ड बदल्नुहोस्।
password-changed =
    .title = तपाईंको पासवर्ड बदलियो
    .body = यो तपाईं होइन भने अहिले नै पासवर्ड रिसेट गर्नुहोस्: सबै उपकरण लगआउट हुन्छन्।
passkey-added =
    .title = पासकी थपियो
    .body = यो तपाईं होइन भने यहाँ हटाउनुहोस्, र पासवर्ड बदल्नुहोस्।
identity-linked =
    .title = लगइन जोडियो
    .body = यो तपाईं होइन भने यहाँ छुटाउनुहोस्, र पासवर्ड बदल्नुहोस्।

# Lines of an e-mail besides title and body.
email =
    .greeting = नमस्ते { $player },
    .code = कोड: { $code }
    .unsubscribe = यस्ता इमेल अब नपठाउने:

# The page behind that link.
unsubscribe =
    .title = यानिभका इमेल
    .question = इमेलमा सूचना अब नचाहिने हो?
    .button = सदस्यता हटाउनुहोस्
    .done = अब तपाईंलाई इमेलमा सूचना आउँदैन। एपमा फेरि चालु गर्न सकिन्छ।
    .invalid = यो लिङ्क मान्य छैन। एपमा इमेल बन्द गर्नुहोस्।
