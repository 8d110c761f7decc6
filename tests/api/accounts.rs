//! Registering, logging in, and tokens that are none of ours.

use serde_json::json;

use crate::support::player::PASSWORD;
use crate::support::{Player, TestApp};

#[tokio::test(flavor = "multi_thread")]
async fn who_registers_is_logged_in_and_can_log_in_again() {
    let app = TestApp::start().await;
    let ada = app.player("ada_1815").await;
    let account = ada.get("/v1/account").await.expect(200);
    assert_eq!(account["username"], "ada_1815");
    let credentials = json!({"username": "ada_1815", "password": PASSWORD});
    let session = Player::nobody(app.address).post("/v1/sessions", None, &credentials).await.expect(201);
    assert_eq!(session["account"], account);
    assert_eq!(session["token_type"], "Bearer");
    let again = Player { token: session["access_token"].as_str().unwrap().to_owned(), ..ada };
    again.get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_given_once() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let credentials = json!({"username": "ada", "password": "another password"});
    let answer = Player::nobody(app.address).post("/v1/accounts", None, &credentials).await;
    answer.expect_problem(409, "username_taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_passwords_have_bounds() {
    let app = TestApp::start().await;
    let nobody = Player::nobody(app.address);
    for name in ["ab", "twenty_one_characters", "Ada", "аda", "a b", "ada\u{200b}", ""] {
        let body = json!({"username": name, "password": PASSWORD});
        let problem = nobody.post("/v1/accounts", None, &body).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "username", "{name}");
    }
    for password in ["short 7", &"x".repeat(129)] {
        let body = json!({"username": "ada", "password": password});
        let problem = nobody.post("/v1/accounts", None, &body).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "password");
        assert!(!problem.to_string().contains(password), "a password is never repeated");
    }
    app.player("abc").await;
    app.player("exactly_20_character").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_is_refused_like_a_wrong_password() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let nobody = Player::nobody(app.address);
    let wrong = json!({"username": "ada", "password": "wrong password"});
    let unknown = json!({"username": "bob", "password": "wrong password"});
    let wrong = nobody.post("/v1/sessions", None, &wrong).await;
    let unknown = nobody.post("/v1/sessions", None, &unknown).await;
    wrong.expect_problem(401, "invalid_credentials");
    assert_eq!(wrong.body, unknown.body);
}

/// Tokens that must not pass; the key is not ours unless said otherwise.
fn forged(good: &str) -> Vec<String> {
    let mut parts = good.split('.');
    let (header, claims, signature) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
    // {"typ":"at+jwt","alg":"none"} and the like, in base64url.
    let none = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJub25lIn0";
    let rs256 = "eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJSUzI1NiJ9";
    let flipped = if signature.starts_with('A') { 'B' } else { 'A' };
    vec![
        format!("{none}.{claims}."),
        format!("{none}.{claims}.{signature}"),
        format!("{rs256}.{claims}.{signature}"),
        format!("{header}.{claims}."),
        format!("{header}.{claims}"),
        format!("{header}.{claims}.{flipped}{}", &signature[1..]),
        format!("{header}.{}.{signature}", claims.chars().rev().collect::<String>()),
        "x".to_owned(),
        "..".to_owned(),
        "x".repeat(9_000),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_token_and_forged_tokens_get_the_same_answer() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let nobody = Player::nobody(app.address).get("/v1/account").await;
    nobody.expect_problem(401, "invalid_token");
    assert!(nobody.header("www-authenticate").unwrap().starts_with("Bearer"));
    for token in forged(&ada.token) {
        let answer = Player { token: token.clone(), ..ada.clone() }.get("/v1/account").await;
        answer.expect_problem(401, "invalid_token");
        assert_eq!(answer.body, nobody.body, "{token}");
    }
}

#[test]
fn a_token_needs_its_type_issuer_audience_and_time() {
    use chrono::{TimeDelta, Utc};
    use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
    use yaniv::auth::token::Tokens;
    use yaniv::ids::AccountId;

    let secret = [7; 32];
    let tokens = Tokens::new(&secret).unwrap();
    assert!(Tokens::new(&secret[1..]).is_err(), "31 bytes are too few");
    let account = AccountId::generate();
    let now = Utc::now().timestamp();
    let good = json!({"iss": "yaniv", "aud": "yaniv-api", "sub": account.0, "iat": now, "exp": now + 60});
    let sign = |typ: Option<&str>, claims: &serde_json::Value| {
        let header = Header { typ: typ.map(str::to_owned), ..Header::new(Algorithm::HS256) };
        encode(&header, claims, &EncodingKey::from_secret(&secret)).unwrap()
    };
    assert_eq!(tokens.verify(&sign(Some("at+jwt"), &good)).unwrap(), account);
    for typ in [None, Some("JWT"), Some("rt+jwt")] {
        assert!(tokens.verify(&sign(typ, &good)).is_err(), "{typ:?}");
    }
    for (claim, value) in [
        ("iss", json!("other")),
        ("iss", json!(null)),
        ("iss", json!(1)),
        ("aud", json!("other")),
        ("aud", json!(null)),
        ("sub", json!("nobody")),
        ("exp", json!(now - 1)),
        ("exp", json!(null)),
        ("exp", json!("tomorrow")),
        ("exp", json!(-1)),
        ("nbf", json!(now + 60)),
    ] {
        let mut claims = good.clone();
        claims[claim] = value.clone();
        assert!(tokens.verify(&sign(Some("at+jwt"), &claims)).is_err(), "{claim} {value}");
        if claim != "nbf" {
            claims.as_object_mut().unwrap().remove(claim);
            assert!(tokens.verify(&sign(Some("at+jwt"), &claims)).is_err(), "without {claim}");
        }
    }
    let old = tokens.issue(account, Utc::now() - TimeDelta::minutes(16)).unwrap();
    assert!(tokens.verify(&old.token).is_err(), "an expired token");
    let mut header = Header { typ: Some("at+jwt".to_owned()), ..Header::new(Algorithm::HS256) };
    header.crit = Some(vec!["exp".to_owned()]);
    let critical = encode(&header, &good, &EncodingKey::from_secret(&secret)).unwrap();
    assert!(tokens.verify(&critical).is_err(), "an extension that we do not know");
}
