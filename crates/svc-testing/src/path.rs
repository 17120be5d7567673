//! Matches paths with the path templates of operations.

use percent_encoding::percent_decode_str;

/// The values of the names in `template`, unescaped, if the end of `path` matches the template. The path of the base URL
/// may come before it.
pub(crate) fn values(template: &str, path: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut segments = path.rsplit('/');
    for expected in template.trim_start_matches('/').rsplit('/') {
        let segment = segments.next()?;
        if is_name(expected) {
            let value = percent_decode_str(segment).decode_utf8().ok()?;
            values.push(value.into_owned());
        } else if expected != segment {
            return None;
        }
    }
    values.reverse();
    Some(values)
}

/// The number of segments in a template that match any value; with fewer of them, a template is more specific.
pub(crate) fn names(template: &str) -> usize {
    template.split('/').filter(|it| is_name(it)).count()
}

fn is_name(segment: &str) -> bool {
    segment.starts_with('{')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_compared_from_its_end_and_unescaped() {
        let template = "/projects/{project}/{environment}/view_settings/";
        let of = |path| values(template, path);
        let expected = Some(vec!["my shop".to_owned(), "prod".to_owned()]);
        assert_eq!(of("/api/projects/my%20shop/prod/view_settings/"), expected);
        assert_eq!(of("/projects/my%20shop/prod/view_settings/"), expected);
        assert_eq!(of("/projects/shop/prod/view_settings"), None);
        assert_eq!(of("/projects/shop/prod/view_settings/7/"), None);
        assert_eq!(of("/projects/shop/%ff/view_settings/"), None);
        assert_eq!(of("/view_settings/"), None);
        assert_eq!(names(template), 2);
    }
}
