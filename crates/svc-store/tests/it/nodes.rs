//! Questions between nodes.

use uuid::Uuid;

use crate::Fixture;

#[tokio::test]
async fn a_question_is_answered_once_by_each_node_and_gone_when_it_is_withdrawn() {
    let fixture = Fixture::new().await;
    let (nodes, [asker, one, two]) = (fixture.store.nodes(), [1, 2, 3].map(Uuid::from_u128));
    let revision = fixture.store.revision().await.unwrap();
    assert!(!nodes.is_asked());
    let question = nodes.ask(asker, "what?".to_owned()).await.unwrap();
    assert_eq!(fixture.store.read_revision().await.unwrap(), revision);
    assert!(nodes.is_asked());
    assert_eq!(nodes.questions(asker).await.unwrap(), []);
    let asked = nodes.questions(one).await.unwrap();
    assert_eq!((asked[0].uid, &*asked[0].text), (question, "what?"));
    for (node, text) in [(one, "that"), (one, "again"), (two, "nothing")] {
        let answer = vec![(question, text.to_owned())];
        nodes.answer(node, answer).await.unwrap();
    }
    assert_eq!(nodes.questions(one).await.unwrap(), []);
    let answers = nodes.answers(question).await.unwrap();
    let answers: Vec<_> = answers.iter().map(|it| (it.node, &*it.text)).collect();
    assert_eq!(answers, [(one, "that"), (two, "nothing")]);
    nodes.withdraw(question).await.unwrap();
    let late = vec![(question, "late".to_owned())];
    nodes.answer(two, late).await.unwrap();
    assert_eq!(nodes.answers(question).await.unwrap(), []);
    fixture.store.read_revision().await.unwrap();
    assert!(!nodes.is_asked());
}

#[tokio::test]
async fn the_question_of_a_node_that_ended_is_removed() {
    let fixture = Fixture::new().await;
    let nodes = fixture.store.nodes();
    let [asker, other] = [1, 2].map(Uuid::from_u128);
    nodes.ask(asker, "what?".to_owned()).await.unwrap();
    fixture.pass(599);
    assert_eq!(nodes.questions(other).await.unwrap().len(), 1);
    fixture.pass(2);
    nodes.questions(asker).await.unwrap();
    assert_eq!(fixture.count("node_questions").await, 0);
}
