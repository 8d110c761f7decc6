//! Forged tokens, and tokens of another kind: none is accepted, and all get the same answer.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{TimeDelta, Utc};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use yaniv_auth::token::Tokens;
use yaniv_model::ids::{AccountId, SessionId};

use crate::support::{Player, TestApp};

const SECRET: &str = "0123456789abcdef0123456789abcdef";

fn key_id() -> String {
    Sha256::digest(SECRET).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

fn signed(header: &Value, claims: &Value, secret: &str) -> String {
    let message =
        [header, claims].map(|part| URL_SAFE_NO_PAD.encode(serde_json::to_vec(part).unwrap())).join(".");
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(message.as_bytes());
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

fn good_header() -> Value {
    json!({"typ": "at+jwt", "alg": "HS256", "kid": key_id()})
}

fn good_claims(account: &Value) -> Value {
    let now = Utc::now().timestamp();
    json!({
        "iss": "yaniv", "aud": "yaniv-api", "sub": account, "sid": SessionId::generate().0, "iat": now, "exp": now + 600
    })
}

/// A valid token with one part changed or removed.
fn changed(good: &Value, name: &str, value: Option<&Value>) -> Value {
    let mut changed = good.clone();
    match value {
        Some(value) => changed[name] = value.clone(),
        None => drop(changed.as_object_mut().unwrap().remove(name)),
    }
    changed
}

/// Headers that we never write.
fn headers() -> Vec<Value> {
    let mut headers = Vec::new();
    let algorithms = [
        "none", "None", "NONE", "nOnE", "", "HS384", "HS512", "hs256", "RS256", "PS256", "ES256", "EdDSA",
        "dir",
    ];
    let keys = [
        "",
        "00000000",
        "../../../../dev/null",
        "/dev/null",
        "' OR 1=1 --",
        "x' UNION SELECT secret FROM server_secrets --",
        "| /bin/true",
        "http://127.0.0.1/key",
        "access_token",
    ];
    let of_names = |name: &str, values: &[&str]| -> Vec<Value> {
        values.iter().map(|value| changed(&good_header(), name, Some(&json!(value)))).collect()
    };
    headers.extend(of_names("alg", &algorithms));
    headers.extend(of_names("kid", &keys));
    headers.extend(of_names("typ", &["JWT", "rt+jwt", "at", "", "refresh", "at+jwt "]));
    headers.extend(of_names("jku", &["https://example.org/keys"]));
    headers.extend(of_names("x5u", &["https://example.org/cert"]));
    headers.extend(of_names("cty", &["JWT"]));
    headers.push(changed(&good_header(), "kid", Some(&json!(format!("{}0", key_id())))));
    headers.push(changed(&good_header(), "kid", Some(&json!("k".repeat(3000)))));
    headers.push(changed(&good_header(), "jwk", Some(&json!({"kty": "oct", "k": "AAAA"}))));
    headers.push(changed(&good_header(), "x5c", Some(&json!(["MIIB"]))));
    headers.push(changed(&good_header(), "crit", Some(&json!(["exp"]))));
    headers.push(changed(&good_header(), "crit", Some(&json!([]))));
    headers.push(changed(&good_header(), "crit", Some(&json!(["b64"]))));
    headers.push(changed(&good_header(), "zip", Some(&json!("DEF"))));
    for name in ["alg", "kid", "typ"] {
        for value in [json!(null), json!(1), json!([]), json!({}), json!(true)] {
            headers.push(changed(&good_header(), name, Some(&value)));
        }
        headers.push(changed(&good_header(), name, None));
    }
    headers
}

/// Claims that we never write, or that have expired.
fn claims(good: &Value) -> Vec<Value> {
    let now = Utc::now().timestamp();
    let mut claims = Vec::new();
    for name in ["iss", "aud", "sub", "sid", "exp", "iat"] {
        claims.push(changed(good, name, None));
        for value in [json!(null), json!({}), json!([]), json!(true), json!("other"), json!("")] {
            claims.push(changed(good, name, Some(&value)));
        }
    }
    for (name, value) in [
        ("iss", json!(1)),
        ("iss", json!("yaniv ")),
        ("iss", json!(["yaniv", "other"])),
        ("aud", json!(1)),
        ("aud", json!("yaniv")),
        ("aud", json!(["other", "yaniv-api"])),
        ("sub", json!(1)),
        ("sub", json!("00000000-0000-0000-0000-00000000000g")),
        ("sid", json!(1)),
        ("exp", json!(now)),
        ("exp", json!(now - 1)),
        ("exp", json!(now - 59)),
        ("exp", json!(0)),
        ("exp", json!(-1)),
        ("exp", json!(-9_223_372_036_854_775_808_i64)),
        ("exp", json!(18_446_744_073_709_551_615_u64)),
        ("exp", json!(1e300)),
        ("exp", json!(f64::from(i32::MAX) + 0.5)),
        ("exp", json!((now + 600).to_string())),
        ("exp", json!("9999-12-31T23:59:59Z")),
        ("iat", json!(now + 1200)),
        ("nbf", json!(now + 1200)),
        ("nbf", json!(9e18)),
    ] {
        claims.push(changed(good, name, Some(&value)));
    }
    claims
}

/// Not a token at all, or a damaged one.
fn damaged(good: &str) -> Vec<String> {
    let parts: Vec<&str> = good.split('.').collect();
    let (header, claims, signature) = (parts[0], parts[1], parts[2]);
    let flipped = if signature.starts_with('A') { 'B' } else { 'A' };
    let mut tokens: Vec<String> =
        ["", "x", ".", "..", "...", "null", "undefined", "{}", "Bearer", "a.b.c", "é.é.é"]
            .map(str::to_owned)
            .to_vec();
    tokens.extend([
        format!("{header}.{claims}."),
        format!("{header}.{claims}"),
        format!("{header}..{signature}"),
        format!(".{claims}.{signature}"),
        format!("{claims}.{header}.{signature}"),
        format!("{header}.{claims}.{flipped}{}", &signature[1..]),
        format!("{header}.{claims}.{}", &signature[..42]),
        format!("{header}.{claims}.{signature}="),
        format!("{header}.{claims}.{signature}A"),
        format!("{header}.{claims}.{signature}.{signature}"),
        format!("{header}.{}.{signature}", claims.chars().rev().collect::<String>()),
        format!("{good}{}", "A".repeat(5_000)),
        "x".repeat(9_000),
        format!("{}.{}.{}", "A".repeat(3_000), "A".repeat(3_000), "A".repeat(3_000)),
        format!("yaniv_pat_{}", "A".repeat(64)),
        format!("yaniv_pat_{good}"),
        "yaniv_pat_".to_owned(),
    ]);
    tokens
}

#[tokio::test(flavor = "multi_thread")]
async fn no_forged_token_passes_and_all_get_the_same_answer() {
    let app = TestApp::start_with(|options| options.token_secret = Some(SECRET.into())).await;
    let nobody = Player::anonymous(app.address).get("/v1/account").await;
    nobody.expect_problem(401, "invalid_token");
    assert!(nobody.header("www-authenticate").unwrap().starts_with("Bearer"));
    let credentials = json!({"username": "ada", "password": "correct horse"});
    let session = Player::anonymous(app.address).post("/v1/accounts", None, &credentials).await.expect(201);
    let good_claims = good_claims(&session["account"]["account_id"]);
    let good = signed(&good_header(), &good_claims, SECRET);
    let show = async |token: &str| {
        let answer = Player { token: token.to_owned(), ..Player::anonymous(app.address) };
        answer.get("/v1/account").await
    };
    show(&good).await.expect(200);

    let mut forged = damaged(&good);
    forged.push(session["refresh_token"].as_str().unwrap().to_owned());
    let signature = good.rsplit('.').next().unwrap();
    for header in headers() {
        let token = signed(&header, &good_claims, SECRET);
        let (message, _) = token.rsplit_once('.').unwrap();
        forged.extend([format!("{message}."), format!("{message}.{signature}"), token.clone()]);
    }
    for secret in ["", "secret", "yaniv", &key_id(), &SECRET[1..], "public"] {
        forged.push(signed(&good_header(), &good_claims, secret));
    }
    forged.extend(claims(&good_claims).iter().map(|claims| signed(&good_header(), claims, SECRET)));
    assert!(forged.len() >= 200, "{}", forged.len());
    for token in &forged {
        // A header can only contain ASCII.
        if token.is_ascii() && !token.is_empty() {
            let answer = show(token).await;
            assert_eq!(answer.body, nobody.body, "{token}");
            answer.expect_problem(401, "invalid_token");
        }
    }
    show(&good).await.expect(200);
}

#[test]
fn a_token_is_good_for_its_time_and_under_the_keys_that_there_are() {
    let secrets = [vec![7; 32], vec![8; 32]];
    let (old, both, new) = (&secrets[..1], [secrets[1].clone(), secrets[0].clone()], &secrets[1..]);
    let [old, both, new] = [old, &both, new].map(|secrets| Tokens::new(secrets).unwrap());
    assert!(Tokens::new(&[vec![7; 31]]).is_err(), "31 bytes are too few");
    assert!(Tokens::new(&[vec![7; 32], vec![7; 31]]).is_err(), "for any of them");
    assert!(Tokens::new(&[]).is_err());
    let (account, session) = (AccountId::generate(), SessionId::generate());
    let issue = |tokens: &Tokens| tokens.issue(account, session, None, Utc::now()).unwrap().token;
    let verified = both.verify(&issue(&old)).unwrap();
    assert_eq!((verified.account, verified.session), (account, session));
    assert!(new.verify(&issue(&both)).is_ok(), "the first signs");
    assert!(old.verify(&issue(&both)).is_err() && new.verify(&issue(&old)).is_err());
    let late = old.issue(account, session, None, Utc::now() - TimeDelta::minutes(16)).unwrap();
    assert!(old.verify(&late.token).is_err(), "an expired token");
    assert!(old.verify(&"A".repeat(9_000_000)).is_err());
}

/// Refresh tokens, too: one that we did not issue never ends a session.
#[tokio::test(flavor = "multi_thread")]
async fn a_forged_refresh_token_is_refused_and_does_no_harm() {
    let app = TestApp::start().await;
    let nobody = Player::anonymous(app.address);
    let credentials = json!({"username": "ada", "password": "correct horse"});
    let session = nobody.post("/v1/accounts", None, &credentials).await.expect(201);
    let good = session["refresh_token"].as_str().unwrap();
    let mut forged = vec![String::new(), "x".to_owned(), format!("{good}A"), good[1..].to_owned()];
    forged.push(session["access_token"].as_str().unwrap()[..200].to_owned());
    for place in [0, 10, 21, 22, 40, 63, 64, 70, 84, 85] {
        let other = if &good[place..=place] == "A" { "B" } else { "A" };
        let mut token = good.to_owned();
        token.replace_range(place..=place, other);
        forged.push(token);
    }
    for token in forged {
        let answer = nobody.post("/v1/sessions/refresh", None, &json!({"refresh_token": token})).await;
        answer.expect_problem(401, "invalid_refresh_token");
    }
    nobody.post("/v1/sessions/refresh", None, &json!({"refresh_token": good})).await.expect(200);
}
