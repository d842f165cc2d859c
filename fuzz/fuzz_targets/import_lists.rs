//! Lists, and gzip around any format: the first byte says which. `0` diseases as JSON lines, `1` a dictionary; `2` and a format's
//! digit: what follows is packed and then read as that format; `3` likewise, but what follows is packed already (or claims to be).
#![no_main]

use std::io::Write;

use catena::graph::import::GraphFormat;
use catena_fuzz::{choice, import_and_check, init};
use flate2::Compression;
use flate2::write::GzEncoder;
use libfuzzer_sys::fuzz_target;

#[derive(Clone, Copy)]
enum How {
    Plain(GraphFormat),
    Pack,
    Packed,
}

const WAYS: [How; 4] = [How::Plain(GraphFormat::DiseaseJson), How::Plain(GraphFormat::Dictionary), How::Pack, How::Packed];
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

fuzz_target!(init: init(), |input: &[u8]| {
    let Some((first, bytes)) = input.split_first() else { return };
    match choice(*first, &WAYS) {
        How::Plain(format) => import_and_check(format, bytes),
        How::Pack => {
            let Some((second, bytes)) = bytes.split_first() else { return };
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(bytes).expect("in memory");
            import_and_check(choice(*second, &GraphFormat::ALL), &encoder.finish().expect("in memory"));
        }
        How::Packed => {
            let Some((second, bytes)) = bytes.split_first() else { return };
            let mut packed = bytes.to_vec();
            for (byte, magic) in packed.iter_mut().zip(GZIP_MAGIC) {
                *byte = magic;
            }
            import_and_check(choice(*second, &GraphFormat::ALL), &packed);
        }
    }
});
