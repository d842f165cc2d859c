//! From the bytes of tokens to whole characters: a token may hold a part of one only.

/// Bytes that wait for the rest of their character.
#[derive(Debug, Default)]
pub(super) struct Characters {
    waiting: Vec<u8>,
}

impl Characters {
    /// Takes the bytes of a token; returns the characters that are now complete. Bytes that cannot belong to a character become U+FFFD.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.waiting.extend_from_slice(bytes);
        let mut text = String::new();
        let mut used = 0;
        for chunk in self.waiting.utf8_chunks() {
            text.push_str(chunk.valid());
            used += chunk.valid().len();
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                break;
            }
            if used + invalid.len() == self.waiting.len() && may_go_on(invalid) {
                break;
            }
            text.push(char::REPLACEMENT_CHARACTER);
            used += invalid.len();
        }
        self.waiting.drain(..used);
        text
    }

    /// The end of the text: an incomplete character becomes U+FFFD.
    pub(super) fn finish(&mut self) -> String {
        let left = std::mem::take(&mut self.waiting);
        String::from_utf8_lossy(&left).into_owned()
    }
}

/// Whether bytes at the end are the beginning of a character.
fn may_go_on(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_of_characters_wait_and_broken_ones_are_replaced() {
        let mut characters = Characters::default();
        assert_eq!(characters.push(&[b'a', 0xe5]), "a");
        assert_eq!(characters.push(&[0xbc]), "");
        assert_eq!(characters.push(&[0xba, 0xf0]), "强");
        assert_eq!(characters.push(b"x"), "\u{fffd}x");
        assert_eq!(characters.push(&[0xff]), "\u{fffd}");
        assert_eq!(characters.push(&[0xf0, 0x9f]), "");
        assert_eq!(characters.finish(), "\u{fffd}");
        assert_eq!(characters.finish(), "");
    }

    proptest! {
        #[test]
        fn however_it_is_cut_the_text_is_the_same(text in "\\PC{0,40}", cuts in proptest::collection::vec(1usize..5, 0..60)) {
            let mut characters = Characters::default();
            let (mut rest, mut got) = (text.as_bytes(), String::new());
            for cut in cuts {
                let (head, tail) = rest.split_at(cut.min(rest.len()));
                got.push_str(&characters.push(head));
                rest = tail;
            }
            got.push_str(&characters.push(rest));
            got.push_str(&characters.finish());
            prop_assert_eq!(got, text);
        }

        #[test]
        fn any_bytes_come_out_as_lossy_conversion_has_them(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let mut characters = Characters::default();
            let mut got: String = bytes.chunks(3).map(|chunk| characters.push(chunk)).collect();
            got.push_str(&characters.finish());
            prop_assert_eq!(got, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
}
