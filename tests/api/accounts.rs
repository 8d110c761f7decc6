//! Registration and log-in.

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
    let session = Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await.expect(201);
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
    let answer = Player::anonymous(app.address).post("/v1/accounts", None, &credentials).await;
    answer.expect_problem(409, "username_taken");
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_passwords_have_bounds() {
    let app = TestApp::start().await;
    let nobody = Player::anonymous(app.address);
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
async fn a_password_that_is_easy_to_guess_is_refused_wherever_one_is_set() {
    let app = TestApp::start().await;
    let nobody = Player::anonymous(app.address);
    let register = json!({"username": "ada_lovelace"});
    let (ada, guest) = (app.player("grace_hopper").await, Player::guest(app.address).await);
    ada.patch("/v1/account", &json!({"display_name": "Admiral Grace"})).await.expect(200);
    let with = |body: &serde_json::Value, field: &str, password: &str| {
        let mut body = body.clone();
        body[field] = json!(password);
        body
    };
    let common = ["12345678", "iloveyou", "PassWord1", "  qwertyui ", "        ", "zzzzzzzzz", "äääääääää"];
    for password in common.into_iter().chain(["Ada_Lovelace", " ada_lovelace"]) {
        let answer = nobody.post("/v1/accounts", None, &with(&register, "password", password)).await;
        let problem = answer.expect_problem(422, "password_common");
        assert_eq!(problem["fields"][0]["name"], "password", "{password}");
        let claim = guest.post("/v1/account/claim", None, &with(&register, "password", password)).await;
        claim.expect_problem(422, "password_common");
    }
    let current = json!({"current_password": PASSWORD});
    for password in common.into_iter().chain(["GRACE_hopper", "admiral grace "]) {
        let answer =
            ada.post("/v1/account/change-password", None, &with(&current, "new_password", password)).await;
        let problem = answer.expect_problem(422, "password_common");
        assert_eq!(problem["fields"][0]["name"], "new_password", "{password}");
    }
    // Nothing was changed; and passwords that only resemble these are accepted.
    for password in ["ada_lovelace 2", "12345678 letters", "correct horse"] {
        let change = with(&current, "new_password", password);
        ada.post("/v1/account/change-password", None, &change).await.expect(204);
        let back = json!({"current_password": password, "new_password": PASSWORD});
        ada.post("/v1/account/change-password", None, &back).await.expect(204);
    }
    nobody.post("/v1/accounts", None, &with(&register, "password", "grace_hopper")).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_is_refused_like_a_wrong_password() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let nobody = Player::anonymous(app.address);
    let wrong = json!({"username": "ada", "password": "wrong password"});
    let unknown = json!({"username": "bob", "password": "wrong password"});
    let wrong = nobody.post("/v1/sessions", None, &wrong).await;
    let unknown = nobody.post("/v1/sessions", None, &unknown).await;
    wrong.expect_problem(401, "invalid_credentials");
    assert_eq!(wrong.body, unknown.body);
}
