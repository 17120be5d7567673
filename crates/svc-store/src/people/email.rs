//! E-mail addresses: what can be one, and which are the same.

use crate::error::{Error, Result};

/// Longest part before the `@` (RFC 5321, section 4.5.3.1.1).
const MAX_LOCAL_PART_BYTES: usize = 64;
/// Longest e-mail address that mail servers must accept (RFC 5321, section 4.5.3.1.3).
const MAX_EMAIL_BYTES: usize = 254;

/// What makes two addresses the same account.
pub(crate) fn key(email: &str) -> String {
    email.trim().to_lowercase()
}

/// Refuses an address that no mail can reach. Whether it exists, only a mail can show.
pub(crate) fn check(field: &str, email: &str) -> Result<()> {
    let parts = email.rsplit_once('@');
    let fits = parts.is_some_and(|(name, domain)| is_local_part(name) && is_domain(domain))
        && email.len() <= MAX_EMAIL_BYTES
        && !email.contains(|c: char| c.is_whitespace() || c.is_control());
    if fits {
        Ok(())
    } else {
        Err(Error::invalid_field(
            field,
            "must be an e-mail address, like name@example.com",
        ))
    }
}

/// Whether a text can be the part before the `@` of an address (RFC 5321, section 4.1.2; letters of other scripts by
/// RFC 6531): words joined by dots, or anything in quotes.
fn is_local_part(name: &str) -> bool {
    let quoted = name
        .strip_prefix('"')
        .and_then(|name| name.strip_suffix('"'));
    let fits = match quoted {
        Some(inside) => {
            let mut is_escaped = false;
            let closes_early = inside.chars().any(|c| {
                let ends = c == '"' && !is_escaped;
                is_escaped = c == '\\' && !is_escaped;
                ends
            });
            !closes_early && !is_escaped
        }
        None => name
            .split('.')
            .all(|word| !word.is_empty() && !word.contains(|c| "@\"\\()<>[],;:".contains(c))),
    };
    fits && name.len() <= MAX_LOCAL_PART_BYTES
}

/// Whether a text is a domain, or an address of a machine in brackets.
fn is_domain(domain: &str) -> bool {
    let literal = domain
        .strip_prefix('[')
        .and_then(|inside| inside.strip_suffix(']'));
    if let Some(inside) = literal {
        let address = inside.strip_prefix("IPv6:").unwrap_or(inside);
        return address.parse::<std::net::IpAddr>().is_ok();
    }
    domain.split('.').all(|label| {
        !label.is_empty()
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|c| c == '-' || c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_needs_two_sides_and_no_blanks() {
        for good in [
            "a@b",
            "Ann.Lee+x@example.com",
            "\"odd@name\"@example.com",
            "o'neil/x=1@sub-domain.example.com",
            "jürgen@müller.example",
            "a@[192.0.2.1]",
        ] {
            assert!(check("email", good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "ann",
            "@b",
            "a@",
            "a b@c",
            "a@b\r\nBcc: x@y",
            "a@b@c",
            "a..b@c",
            ".a@b",
            "a@b..c",
            "a@-b.c",
            "a@b_c",
            "a@[b]",
            "<a>@b",
            "\"a\"b\"@c",
            &format!("{}@b", "a".repeat(65)),
            &format!("{}@b", "a".repeat(254)),
        ] {
            assert!(check("email", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn case_does_not_make_another_account() {
        assert_eq!(key("Ann@Example.COM "), key("ann@example.com"));
    }
}
