//! Who may register: everyone, holders of an invitation, or no one.

use serde_json::{Value, json};
use tokio::runtime::Handle;
use yaniv_app::accounts::sign_up_policy::SignUp;
use yaniv_app::admin::session::Admin;
use yaniv_db::Store;

use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, options, serve};

/// Admin commands on a service's database.
pub(crate) fn admin(app: &TestApp, reason: Option<&str>) -> Admin {
    let store = Store::new(app.database.url(), 1, &Handle::current()).unwrap();
    Admin::new(store, "tester".to_owned(), reason.map(str::to_owned)).unwrap()
}

async fn open_to(sign_up: SignUp) -> TestApp {
    TestApp::start_with(|options| options.sign_up = sign_up).await
}

async fn register(app: &TestApp, name: &str, invitation: Option<&str>) -> Answer {
    let mut body = json!({"username": name, "password": PASSWORD});
    if let Some(code) = invitation {
        body["invitation"] = json!(code);
    }
    Player::anonymous(app.address).post("/v1/accounts", None, &body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn closed_registration_leaves_accounts_to_the_administrator() {
    let app = open_to(SignUp::Closed).await;
    let (_, code) = admin(&app, None).create_invitation(1, 1, String::new()).await.unwrap();
    for invitation in [None, Some(code.as_str())] {
        register(&app, "ada", invitation).await.expect_problem(403, "sign_up_closed");
    }
    assert!(admin(&app, None).create_account("ada", Some(PASSWORD.to_owned())).await.unwrap().is_none());
    let drawn = admin(&app, None).create_account("bob", None).await.unwrap().unwrap();
    for (name, password) in [("ada", PASSWORD), ("bob", &drawn)] {
        let credentials = json!({"username": name, "password": password});
        Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await.expect(201);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn by_invitation_only_who_has_one_that_is_good_gets_in() {
    let app = open_to(SignUp::Invitation).await;
    let admin = admin(&app, None);
    register(&app, "ada", None).await.expect_problem(403, "invitation_required");
    for code in ["", "nonsense", "ABCD-ABCD-ABCD-ABCD", &"x".repeat(40)] {
        register(&app, "ada", Some(code)).await.expect_problem(403, "invitation_invalid");
    }
    let long = register(&app, "ada", Some(&"x".repeat(41))).await.expect_problem(422, "invalid_body");
    assert_eq!(long["fields"][0]["name"], "invitation");
    let (_, code) = admin.create_invitation(2, 30, "friends".to_owned()).await.unwrap();
    register(&app, "ada", Some(&code)).await.expect(201);
    // A registration that fails does not use it up.
    register(&app, "ada", Some(&code)).await.expect_problem(409, "username_taken");
    let typed = code.to_lowercase().replace('-', " ");
    register(&app, "bob", Some(&typed)).await.expect(201);
    register(&app, "cleo", Some(&code)).await.expect_problem(403, "invitation_invalid");
    let (revoked, code) = admin.create_invitation(5, 30, String::new()).await.unwrap();
    register(&app, "cleo", Some(&code)).await.expect(201);
    let revoked = admin.revoke_invitation(revoked.id).await.unwrap();
    assert!(revoked.revoked_at.is_some() && revoked.used == 1);
    register(&app, "dora", Some(&code)).await.expect_problem(403, "invitation_invalid");
    let (_, code) = admin.create_invitation(5, 30, String::new()).await.unwrap();
    app.run("UPDATE sign_up_invitations SET expires_at = clock_timestamp()").await;
    register(&app, "dora", Some(&code)).await.expect_problem(403, "invitation_invalid");
    // Existing accounts can log in.
    let credentials = json!({"username": "ada", "password": PASSWORD});
    Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_have_the_last_use_of_an_invitation_one_gets_in() {
    let app = open_to(SignUp::Invitation).await;
    let mut other = options();
    other.sign_up = SignUp::Invitation;
    let second = serve(&other, app.database.url()).await.0;
    for round in 0..5 {
        let (_, code) = admin(&app, None).create_invitation(1, 1, String::new()).await.unwrap();
        let register = async |address, at| {
            let name = format!("player_{round}_{at}");
            let body: Value = json!({"username": name, "password": PASSWORD, "invitation": code});
            Player::anonymous(address).post("/v1/accounts", None, &body).await
        };
        let [a, b, c, d] = [(app.address, 0), (second, 1), (app.address, 2), (second, 3)];
        let answers =
            tokio::join!(register(a.0, a.1), register(b.0, b.1), register(c.0, c.1), register(d.0, d.1));
        let answers = [answers.0, answers.1, answers.2, answers.3];
        assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            answer.expect_problem(403, "invitation_invalid");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_it_is_open_an_invitation_is_not_needed_and_not_used() {
    let app = TestApp::start().await;
    let admin = admin(&app, None);
    let (_, code) = admin.create_invitation(1, 1, String::new()).await.unwrap();
    register(&app, "ada", Some(&code)).await.expect(201);
    register(&app, "bob", Some("nonsense")).await.expect(201);
    assert_eq!(admin.invitations(10).await.unwrap()[0].used, 0);
}
