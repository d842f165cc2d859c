//! "Did you mean …?": the nearest of the known names to one that is not known.

/// Two words this alike are taken for one with a slip.
const ALIKE: f64 = 0.65;

/// The nearest name, if one is near enough.
pub(crate) fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = typed.to_lowercase();
    let score = |name: &str| strsim::normalized_damerau_levenshtein(&typed, &name.to_lowercase());
    let known: Vec<&str> = known.into_iter().collect();
    // The beginning of a name means that name.
    let begins = |name: &&&str| typed.len() > 2 && name.to_lowercase().starts_with(&typed);
    if let Some(name) = known.iter().find(begins) {
        return Some(name);
    }
    let best = known.into_iter().map(|name| (score(name), name)).max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    (best.0 >= ALIKE).then_some(best.1)
}

/// A sentence for the end of a message: ` Did you mean "dark"?`; empty if nothing is near.
pub(crate) fn did_you_mean<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(typed, known).map(|name| format!(". Did you mean {name:?}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let themes = ["dark", "light", "high-contrast"];
        assert_eq!(nearest("drak", themes), Some("dark"));
        assert_eq!(nearest("Lihgt", themes), Some("light"));
        assert_eq!(nearest("high", themes), Some("high-contrast"));
        assert_eq!(nearest("solarized", themes), None);
        assert_eq!(nearest("aks", ["ask", "kg", "eval"]), Some("ask"));
        assert_eq!(did_you_mean("drak", themes), ". Did you mean \"dark\"?");
        assert_eq!(did_you_mean("drak", []), "");
    }
}
