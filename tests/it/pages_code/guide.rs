//! The commands of the guide in the book.

use svc_tests::book;

use super::Workshop;

#[test]
fn the_commands_of_the_guide_have_the_described_output() {
    let workshop = Workshop::new();
    let folder = workshop.folder.path();
    let ran = book::run(&book::blocks("pages.md"), folder, workshop.variables());
    assert!(ran >= 8, "{ran} blocks of commands ran");
}
