//! Options of the command line as settings of a call.

/// The call, with each setting for which there is a value.
macro_rules! with_given {
    ($call:expr, $($setting:ident: $value:expr),+ $(,)?) => {{
        let mut call = $call;
        $(if let Some(value) = $value {
            call = call.$setting(value);
        })+
        call
    }};
}
pub(crate) use with_given;
