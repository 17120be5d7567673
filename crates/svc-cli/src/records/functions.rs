//! `svc functions`: functions and procedures of a connected database, through the client.

use clap::Subcommand;
use serde_json::Value;
use svc_model::{JsonObject, ResourceName};

use crate::{
    client::DataService,
    context::Context,
    error::{Error, OrJson as _},
    input,
};

/// Call functions and procedures that the settings of a resource list
#[derive(Subcommand)]
pub(crate) enum Functions {
    /// Call one, and show what it gives as JSON
    #[command(after_help = "Examples:\n  \
        svc functions call shop public.restock\n  \
        svc functions call shop total_of --arg customer=7\n  \
        svc functions call shop 'add_order(integer,text)' --args @order.json\n\n\
        svc resource set NAME --params lists the functions that may be called.")]
    Call {
        /// The connected resource
        resource: ResourceName,
        /// The function as it is listed: NAME, SCHEMA.NAME, or with the types of its arguments
        function: String,
        /// The value of an argument: JSON, or else a text; can be repeated
        #[arg(long, value_name = "NAME=VALUE", value_parser = argument)]
        arg: Vec<(String, Value)>,
        /// The values of arguments as a JSON object; @FILE reads a file, - standard input
        #[arg(long, value_name = "JSON")]
        args: Option<String>,
        #[command(flatten)]
        service: DataService,
    },
}

/// `NAME=VALUE`, the value as JSON where it is some, else as a text.
fn argument(text: &str) -> Result<(String, Value), &'static str> {
    let (name, value) = input::split_at(text, '=', "must be NAME=VALUE, such as customer=7")?;
    Ok((name, input::json_or_text(value)))
}

impl Functions {
    pub(crate) async fn run(self, context: &Context) -> Result<(), Error> {
        let Self::Call {
            resource,
            function,
            arg,
            args,
            service,
        } = self;
        let mut arguments = match &args {
            Some(args) => input::read_object(args)?,
            None => JsonObject::new(),
        };
        for (name, value) in arg {
            arguments.set(&name, &value).or_json("an argument")?;
        }
        let client = service.client(&resource)?;
        let call = client.functions(resource).call(function);
        let called = call.arguments(arguments).send().await?;
        let text = format!("{}\n", called.data);
        context.output.result(&called.data, &text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_value_of_an_argument_is_json_or_else_a_text() {
        assert_eq!(argument("a=[1]"), Ok(("a".into(), json!([1]))));
        assert_eq!(argument("a=x=y"), Ok(("a".into(), json!("x=y"))));
        assert!(argument("a").is_err());
    }
}
