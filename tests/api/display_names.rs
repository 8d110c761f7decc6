//! Seats show display names, and views change with them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, id, within_a_second};

/// What a seat shows of its player; null without a display name.
fn shown(view: &Value, seat: usize) -> &Value {
    &view["seats"][seat]["display_name"]
}

async fn rename(player: &Player, name: &str) {
    player.patch("/v1/account", &json!({"display_name": name})).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_display_name_is_in_the_next_view_also_of_a_match_in_memory() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    rename(&ada, "Ada Lovelace").await;
    let started = app.started(&[ada.clone(), ben.clone()], json!({})).await;
    assert_eq!((shown(&started, 0), shown(&started, 1)), (&json!("Ada Lovelace"), &Value::Null));
    let path = format!("/v1/matches/{}", id(&started));
    let look = async |player: &Player, tag: &str| {
        player.request(Method::GET, &path, &[("if-none-match", tag)], None).await
    };
    let tag = ada.get(&path).await.header("etag").unwrap().to_owned();
    look(&ada.at(second), &tag).await.expect(304);

    rename(&ben, "Big Ben").await;
    let renamed = look(&ada, &tag).await;
    assert_eq!(shown(&renamed.expect(200), 1), "Big Ben");
    let new_tag = renamed.header("etag").unwrap();
    look(&ada, new_tag).await.expect(304);
    within_a_second("the other instance shows it", async || {
        look(&ada.at(second), &tag).await.status.as_u16() == 200
    })
    .await;
    assert_eq!(shown(&ada.at(second).view(id(&started)).await, 1), "Big Ben");
    let listed = ada.get("/v1/matches").await.expect(200);
    assert_eq!(shown(&listed["items"][0], 1), "Big Ben");

    rename(&ben, "").await;
    look(&ada, &tag).await.expect(304);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_answer_has_the_names_of_now() {
    let app = TestApp::start().await;
    let (ada, ben) = (app.player("ada").await, app.player("ben").await);
    let started = app.started(&[ada.clone(), ben.clone()], json!({})).await;
    let body = json!({"expected_version": started["version"]});
    let key = crate::support::player::new_key();
    let first = ada.act_with(id(&started), "resignations", &key, &body).await.expect(200);
    assert_eq!(shown(&first, 1), &Value::Null);
    rename(&ben, "Big Ben").await;
    let again = ada.act_with(id(&started), "resignations", &key, &body).await;
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(shown(&again.expect(200), 1), "Big Ben");
}
