//! The transport contract, checked with the conformance kit.

use svc_testing::conformance;
use svc_transport::{HyperTransport, ThreadTransport};

#[tokio::test]
async fn the_transport_conforms_on_a_current_thread_runtime() {
    let transport = HyperTransport::new().unwrap();
    conformance::check(&transport).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_transport_conforms_on_a_multi_thread_runtime() {
    let transport = HyperTransport::new().unwrap();
    conformance::check(&transport).await.unwrap();
}

#[tokio::test]
async fn the_transport_conforms_on_a_thread_of_its_own() {
    let transport = ThreadTransport::new(HyperTransport::new().unwrap()).unwrap();
    conformance::check(&transport).await.unwrap();
}
