//! Lists of the administration whose pages have numbers alone.

use super::{Session, account_sessions, mails, users};
use crate::{PageQuery, wire::PagedOperation};

macro_rules! pages {
    ($( $list:path => $item:path, )*) => {$(
        impl PagedOperation for $list {
            type Item = $item;

            fn set_page(&mut self, page: u64) {
                self.page = Some(page);
            }

            fn set_per_page(&mut self, per_page: u32) {
                self.per_page = Some(per_page);
            }

            fn seek(&mut self, PageQuery { page, .. }: PageQuery) -> bool {
                let moved = page.is_some() && page != Some(self.page.unwrap_or(1));
                self.page = page;
                moved
            }
        }
    )*};
}

pages! {
    account_sessions::List => Session,
    mails::List => mails::Mail,
    users::ListSessions => Session,
}
