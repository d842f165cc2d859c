//! Mentions that another program found, in a file of the same form as the corpus.

use std::path::Path;

use super::{MarkedMention, NerCorpus, NerError};

impl NerCorpus {
    /// The mentions that the file at `path` has in the texts of this corpus.
    ///
    /// # Errors
    /// If the file cannot be read, or has other texts.
    pub fn predictions(&self, path: &Path) -> Result<Vec<Vec<MarkedMention>>, NerError> {
        let other = Self::open(path)?;
        let differs = self.texts.iter().zip(&other.texts).position(|(text, other)| text.text != other.text);
        let differs = differs.or((self.texts.len() != other.texts.len()).then(|| self.texts.len().min(other.texts.len())));
        if let Some(at) = differs {
            return Err(NerError::OtherTexts { path: path.to_owned(), number: at + 1, here: self.texts.len(), there: other.texts.len() });
        }
        Ok(other.texts.into_iter().map(|text| text.mentions).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::NerReport;
    use super::*;

    #[test]
    fn what_is_marked_is_a_perfect_prediction_of_itself_and_other_texts_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).expect("written");
            path
        };
        let gold = write("gold.tsv", "Gout\tB-Disease\nhurts\tO\n\nTake\tO\nzorbin\tB-Chemical\n");
        let corpus = NerCorpus::open(&gold).expect("reads");
        let found = corpus.predictions(&gold).expect("the same texts");
        assert_eq!(NerReport::of(&corpus.texts, &found, "x").micro.f1, 1.0);
        let found = corpus.predictions(&write("half.tsv", "Gout\tB-Disease\nhurts\tO\n\nTake\tO\nzorbin\tO\n")).expect("the same texts");
        let report = NerReport::of(&corpus.texts, &found, "x");
        assert_eq!((report.micro.precision, report.micro.recall), (1.0, 0.5));
        for (text, first) in [("Gout\tO\nhurts\tO\n", 2), ("Gout\tO\nhurt\tO\n\nTake\tO\nzorbin\tO\n", 1)] {
            let refused = corpus.predictions(&write("other.tsv", text));
            assert!(matches!(refused, Err(NerError::OtherTexts { number, .. }) if number == first), "{refused:?}");
        }
    }
}
