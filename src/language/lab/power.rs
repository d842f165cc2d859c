//! Powers of ten in units: "×10^6/l" counts a thousandth of "×10^9/l", and "×10^3/µl" the same.

use super::analytes::Analyte;
use super::value::Stated;

/// The powers that a count of cells has.
const POWERS: std::ops::RangeInclusive<i32> = 3..=12;
/// In a litre are so many microlitres, as a power of ten.
const MICROLITRES: i32 = 6;

/// The power of ten, per litre, of a unit in small letters: 9 of "x10^9/l", "x10⁹/l", "x109/l" and "x10^3/ul".
fn exponent(unit: &str) -> Option<i32> {
    let power = unit.strip_prefix("x10")?.trim_start_matches(['^', '*', 'e', ' ']);
    let digit = |c: char| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().zip('0'..='9').find(|(raised, _)| *raised == c).map_or(c, |(_, digit)| digit).to_digit(10);
    let digits: Vec<u32> = power.chars().map_while(digit).take(2).collect();
    let value = i32::try_from(digits.iter().fold(0, |value, digit| value * 10 + digit)).ok()?;
    let rest: String = power.chars().skip(digits.len()).collect();
    let volume = rest.trim_start_matches([' ', '/']);
    let per = match () {
        () if ["ul", "mm3", "mm^3", "mm³", "cmm", "mcl", "微升"].iter().any(|micro| volume.starts_with(micro)) => MICROLITRES,
        () if volume.starts_with("ml") || volume.starts_with("毫升") => 3,
        // "×10^3" alone is what laboratories count in a microlitre.
        () if volume.is_empty() && value == 3 => MICROLITRES,
        () => 0,
    };
    POWERS.contains(&value).then_some(value + per)
}

/// A count in the power of ten in which the limits of its test stand, where it is written in another.
pub(super) fn in_own_power(analyte: &Analyte, stated: &Stated) -> Option<Stated> {
    let written = exponent(&stated.unit)?;
    let in_powers = analyte.ranges.iter().find(|range| range.unit == "x10");
    let (own, unit) = match in_powers {
        Some(range) => (exponent(&range.shown().replace('×', "x"))?, "x10"),
        None => analyte.ranges.iter().find(|range| range.unit == "/").map(|_| (MICROLITRES, "/"))?,
    };
    let factor = 10_f64.powi((written - own).abs());
    let value = if written < own { stated.value / factor } else { stated.value * factor };
    (written != own || in_powers.is_none()).then(|| Stated { value, second: None, unit: unit.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_read_per_litre_however_they_are_written() {
        for unit in ["x10^9/l", "x10*9/l", "x10⁹/l", "x109/l", "x10e9/l", "x10^3/ul", "x10^6/ml", "x10^3"] {
            assert_eq!(exponent(unit), Some(9), "{unit}");
        }
        assert_eq!((exponent("x10^12/l"), exponent("x10⁶/l"), exponent("x1012/l")), (Some(12), Some(6), Some(12)));
        for unit in ["x10", "x10/l", "mmol/l", "x10d", ""] {
            assert_eq!(exponent(unit), None, "{unit}");
        }
    }
}
