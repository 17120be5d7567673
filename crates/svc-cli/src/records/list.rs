//! `svc records list`: a page of records, or all of them while they arrive.

use clap::Args;
use svc_model::{Expand, ListQuery};

use super::{Collection, View};
use crate::{
    client::{DataService, Listing},
    context::Context,
    error::Error,
};

/// List the records of a table or view
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    svc records list shop orders --filter status=paid --filter total__gte=100 --order-by -created_at\n  \
    svc records list shop orders --filter status__in=paid,shipped --filter exclude__note__isnull=true\n  \
    svc records list shop orders --expand 'customer_id(name)' --format json\n  \
    svc records list shop orders --all --format csv > orders.csv\n\n\
    Lookups: exact (when none is named), ne, gt, gte, lt, lte, in, range, icontains, istartswith, \
    iendswith, contains, startswith, endswith, isnull, isempty, json_icontains, regex and coveredby where \
    the database has them; of arrays contains_all, contains_any, contained_by, len, len__gt, len__gte, len__lt, len__lte.")]
pub(crate) struct List {
    #[command(flatten)]
    collection: Collection,
    #[command(flatten)]
    listing: Listing,
    #[command(flatten)]
    view: View,
    /// Related records with each record, such as customer_id(name),items.product_id
    #[arg(long, value_name = "PATH,...")]
    expand: Option<Expand>,
    /// Cut longer texts, binary data and JSON
    #[arg(long, value_name = "LENGTH", value_parser = clap::value_parser!(u32).range(1..))]
    excerpt: Option<u32>,
    #[command(flatten)]
    service: DataService,
}

impl List {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let query = self.query()?;
        let records = self.collection.records(&self.service)?;
        let pages = records.list().query(query).by_page();
        self.listing.write(context, "records", pages, Ok).await
    }

    fn query(&self) -> Result<ListQuery, Error> {
        let mut query = self.listing.query(self.view.tz.as_deref())?;
        query.fields.clone_from(&self.view.fields);
        query.expand.clone_from(&self.expand);
        query.excerpt = self.excerpt;
        Ok(query)
    }
}

#[cfg(test)]
mod tests {
    use clap::{Parser, error::ErrorKind};
    use svc_model::Lookup;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        list: List,
    }

    fn parse(arguments: &[&str]) -> Result<List, clap::Error> {
        let fixed = ["svc", "shop", "orders", "--project", "demo"];
        Command::try_parse_from(fixed.iter().chain(arguments)).map(|command| command.list)
    }

    fn query(arguments: &[&str]) -> Result<String, Error> {
        parse(arguments)
            .unwrap()
            .query()
            .map(|query| query.to_query_string().as_str().to_owned())
    }

    #[test]
    fn options_become_the_query_of_the_contract() {
        assert_eq!(
            query(&[
                "--filter=status=paid",
                "--filter=total__gte=1=2",
                "--filter=exclude__note__isnull=true",
                "--filter=id__in=1,2",
                "--order-by",
                "-created_at,id",
                "--fields=id,total",
                "--excerpt=200",
                "--per-page=50",
                "--page=3",
            ])
            .unwrap(),
            "status=paid&total__gte=1%3D2&exclude__note__isnull=true&id__in=1,2&_order_by=-created_at,id\
             &_fields=id,total&_excerpt=200&_per_page=50&page=3"
        );
    }

    #[test]
    fn all_asks_for_large_pages_without_a_count() {
        assert_eq!(query(&["--all"]).unwrap(), "_count=none&_per_page=1000");
        let counted = query(&["--all", "--count=exact"]).unwrap();
        assert_eq!(counted, "_per_page=1000");
        let clash = parse(&["--all", "--page=2"]).err().unwrap();
        assert_eq!(clash.kind(), ErrorKind::ArgumentConflict);
    }

    #[test]
    fn a_field_of_any_name_is_left_to_the_service_to_judge() {
        assert_eq!(query(&["--filter=a__typo=1"]).unwrap(), "a__typo__exact=1");
        let escaped = query(&["--filter=größe__gt=1"]).unwrap();
        assert_eq!(escaped, "gr%C3%B6%C3%9Fe__gt=1");
    }

    #[test]
    fn the_help_names_every_lookup() {
        let mut command = <Command as clap::CommandFactory>::command();
        let help = command.render_long_help().to_string();
        for lookup in Lookup::ALL {
            let mut words = help.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            assert!(words.any(|word| word == lookup.as_str()), "{lookup}");
        }
    }

    #[test]
    fn what_is_no_filter_is_refused() {
        let is_refused = |arguments: &[&str]| matches!(query(arguments), Err(Error::Usage(_)));
        for filter in ["status", "_per_page=3", "page=2", "total__range=1"] {
            assert!(is_refused(&["--filter", filter]), "{filter}");
        }
        assert!(is_refused(&["--filter-tree", "{"]));
        assert!(parse(&["--per-page=10001"]).is_err());
        assert!(parse(&["--page=0"]).is_err());
        assert!(parse(&["--excerpt=0"]).is_err());
    }
}
