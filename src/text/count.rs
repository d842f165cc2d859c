//! Numbers as people read them.

/// A count with its noun: `1 chain`, `1,234 chains`.
pub(crate) fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count), if count == 1 { one } else { many })
}

/// A whole number in groups of three digits: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_have_the_right_noun_and_large_ones_have_commas() {
        assert_eq!([0, 1, 33_027].map(|count| counted(count, "chain", "chains")), ["0 chains", "1 chain", "33,027 chains"]);
        assert_eq!([0, 100, 1000, 1_300_000].map(grouped), ["0", "100", "1,000", "1,300,000"]);
    }
}
