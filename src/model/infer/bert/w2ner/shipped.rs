//! The weights of the recogniser within the program.

use crate::model::infer::bert::EmbeddedFiles;

/// The files of the trained recogniser; `None` where Catena was built without them: the registry takes at most 10 MiB, so the published
/// crate has no weights, and `build.rs` looks whether they are there. The program maps them; they cost memory only once they are read.
#[cfg(shipped_recogniser)]
pub static FILES: Option<EmbeddedFiles> = Some(&[
    ("config.json", include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/ner/w2ner/config.json"))),
    ("tokenizer.json", include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/ner/w2ner/tokenizer.json"))),
    ("w2ner.json", include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/ner/w2ner/w2ner.json"))),
    ("model.safetensors", include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/ner/w2ner/model.safetensors"))),
]);

/// The files of the trained recogniser: this program was built without them.
#[cfg(not(shipped_recogniser))]
pub static FILES: Option<EmbeddedFiles> = None;
