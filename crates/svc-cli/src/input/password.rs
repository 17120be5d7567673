//! Passwords and other secrets that are typed or piped in, and never shown.

use std::io::{self, BufRead as _, IsTerminal as _};

use svc_store::Secret;

use crate::error::Error;

/// Reads a new password from standard input: a line of a pipe or file, or what is typed, twice and unseen.
pub(crate) fn read() -> Result<Secret, Error> {
    let password = read_once()?;
    if io::stdin().is_terminal() && prompt("The same again: ")? != password {
        return Err(Error::usage(
            "the passwords are not the same; type it once more",
        ));
    }
    Ok(password)
}

/// Reads a password that is known from standard input: a line of a pipe or file, or what is typed unseen.
pub(crate) fn read_once() -> Result<Secret, Error> {
    read_unseen("Password: ", "password")
}

/// Reads a secret from standard input: a line of a pipe or file, or what is typed unseen after this text.
pub(crate) fn read_unseen(text: &str, what: &str) -> Result<Secret, Error> {
    match io::stdin().is_terminal() {
        true => prompt(text),
        false => read_line(what),
    }
}

/// Reads a secret from the first line of standard input, whatever it is connected to.
pub(crate) fn read_line(what: &str) -> Result<Secret, Error> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(|error| {
        Error::new(format!(
            "cannot read a {what} from standard input: {error}; it must be UTF-8 text"
        ))
    })?;
    of_line(&line, what)
}

fn prompt(text: &str) -> Result<Secret, Error> {
    rpassword::prompt_password(text)
        .map(Secret::new)
        .map_err(|error| Error::new(format!("cannot read from the terminal: {error}")))
}

/// The line without its end; blanks belong to the password.
fn of_line(line: &str, what: &str) -> Result<Secret, Error> {
    let password = line.strip_suffix('\n').unwrap_or(line);
    let password = password.strip_suffix('\r').unwrap_or(password);
    if password.is_empty() {
        return Err(Error::usage(format!(
            "standard input has no {what}; its first line must be the {what}"
        )));
    }
    Ok(Secret::new(password))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_the_line_is_no_part_of_a_password_and_blanks_are() {
        for line in [" pass word ", " pass word \n", " pass word \r\n"] {
            assert_eq!(of_line(line, "password").unwrap().expose(), " pass word ");
        }
        assert!(of_line("\n", "password").is_err() && of_line("", "password").is_err());
    }
}
