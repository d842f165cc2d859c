//! Looks whether the weights of the recogniser are there to be built in: the published crate does not have them.

fn main() {
    println!("cargo::rustc-check-cfg=cfg(shipped_recogniser)");
    println!("cargo::rerun-if-changed=assets/ner/w2ner");
    let files = ["config.json", "tokenizer.json", "w2ner.json", "model.safetensors"];
    if files.iter().all(|file| std::path::Path::new("assets/ner/w2ner").join(file).is_file()) {
        println!("cargo::rustc-cfg=shipped_recogniser");
    }
}
