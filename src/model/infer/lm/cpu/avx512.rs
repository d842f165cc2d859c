//! The kernels with AVX-512 VNNI: one instruction multiplies 64 bytes of a tile with 4 codes of a vector and adds the products to 16 sums.

#![allow(unsafe_code, reason = "instructions that not every processor has, and loads by address")]

use std::arch::x86_64::*;

use super::kernel::InputVector;
use super::pack::{CodeLine, ScalesQ4K, ScalesQ6K, TILE};

/// Whether this processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512vnni")
        && is_x86_feature_detected!("f16c")
}

/// Addresses of vectors whose lengths were checked against the number of blocks.
#[derive(Clone, Copy)]
struct At {
    codes: *const i8,
    scales: *const f32,
    sums: *const i32,
}

/// The vectors' addresses; panics unless each is long enough for `blocks` blocks of 32.
fn addresses<const M: usize>(vectors: &[InputVector; M], blocks: usize) -> [At; M] {
    for vector in vectors {
        assert!(vector.codes.len() >= blocks * 32 && vector.scales.len() >= blocks && vector.sums.len() >= blocks * 2);
    }
    vectors.map(|vector| At { codes: vector.codes.as_ptr(), scales: vector.scales.as_ptr(), sums: vector.sums.as_ptr() })
}

/// A tile of bytes: 8 lines and one row of scales for each block of 32.
pub(super) fn bytes<const M: usize>(lines: &[CodeLine], scales: &[[u16; TILE]], vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    assert!(available() && lines.len() >= scales.len() * 8);
    let at = addresses(vectors, scales.len());
    // SAFETY: the processor has the instructions, and `lines` and every vector are long enough for `scales.len()` blocks.
    unsafe { bytes_512(lines.as_ptr(), scales, &at, sums) }
}

/// A tile of Q4_K: 4 lines for each block of 32, one `ScalesQ4K` for 8 blocks.
pub(super) fn nibbles<const M: usize>(lines: &[CodeLine], scales: &[ScalesQ4K], vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    assert!(available() && lines.len() >= scales.len() * 32);
    let at = addresses(vectors, scales.len() * 8);
    // SAFETY: the processor has the instructions, and `lines` and every vector are long enough for `8 * scales.len()` blocks.
    unsafe { nibbles_512(lines.as_ptr(), scales, &at, sums) }
}

/// A tile of Q6_K: 8 lines for each block of 32, one `ScalesQ6K` for 8 blocks.
pub(super) fn six<const M: usize>(lines: &[CodeLine], scales: &[ScalesQ6K], vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    assert!(available() && lines.len() >= scales.len() * 64);
    let at = addresses(vectors, scales.len() * 8);
    // SAFETY: the processor has the instructions, and `lines` and every vector are long enough for `8 * scales.len()` blocks.
    unsafe { six_512(lines.as_ptr(), scales, &at, sums) }
}

/// A tile of half-precision floats, 16 a column.
pub(super) fn halves<const M: usize>(values: &[[u16; TILE]], vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    assert!(available());
    // SAFETY: the processor has the instructions; values are read by reference and bounds are checked.
    unsafe { halves_512(values, vectors, sums) }
}

/// Four codes of a vector for all 16 rows.
///
/// # Safety
/// 4 bytes from `codes` on can be read, and the processor has AVX-512F.
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn four(codes: *const i8) -> __m512i {
    // SAFETY: as the caller promises; the load needs no alignment.
    _mm512_set1_epi32(unsafe { codes.cast::<i32>().read_unaligned() })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn halves_to_floats(bits: &[u16; TILE]) -> __m512 {
    // SAFETY: 32 bytes are read, which is what a reference to 16 numbers of 16 bits gives.
    _mm512_cvtph_ps(unsafe { _mm256_loadu_si256(bits.as_ptr().cast()) })
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(values: &[f32; TILE]) -> __m512 {
    // SAFETY: 64 bytes are read, which is what a reference to 16 floats gives.
    unsafe { _mm512_loadu_ps(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(values: &mut [f32; TILE], vector: __m512) {
    // SAFETY: 64 bytes are written, which is what a reference to 16 floats gives.
    unsafe { _mm512_storeu_ps(values.as_mut_ptr(), vector) }
}

/// # Safety
/// The processor has the instructions; `8 * scales.len()` lines and, of each vector, `scales.len()` blocks can be read.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,f16c")]
unsafe fn bytes_512<const M: usize>(lines: *const CodeLine, scales: &[[u16; TILE]], at: &[At; M], sums: &mut [[f32; TILE]; M]) {
    let mut totals = [_mm512_setzero_ps(); M];
    for (block, scale) in scales.iter().enumerate() {
        // SAFETY: `block` is below the number of blocks, for which lines, codes, scales and sums can be read.
        unsafe {
            let line = lines.add(block * 8).cast::<__m512i>();
            let mut dots: [__m512i; M] =
                std::array::from_fn(|m| _mm512_set1_epi32(-128 * (*at[m].sums.add(2 * block) + *at[m].sums.add(2 * block + 1))));
            for i in 0..8 {
                let weights = _mm512_load_si512(line.add(i));
                for m in 0..M {
                    dots[m] = _mm512_dpbusd_epi32(dots[m], weights, four(at[m].codes.add(block * 32 + i * 4)));
                }
            }
            let scale = halves_to_floats(scale);
            for m in 0..M {
                let scale = _mm512_mul_ps(scale, _mm512_set1_ps(*at[m].scales.add(block)));
                totals[m] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[m]), scale, totals[m]);
            }
        }
    }
    for (sums, total) in sums.iter_mut().zip(totals) {
        store(sums, _mm512_add_ps(load(sums), total));
    }
}

/// # Safety
/// The processor has the instructions; `32 * scales.len()` lines and, of each vector, `8 * scales.len()` blocks can be read.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,f16c")]
unsafe fn nibbles_512<const M: usize>(lines: *const CodeLine, scales: &[ScalesQ4K], at: &[At; M], sums: &mut [[f32; TILE]; M]) {
    let mut totals = [_mm512_setzero_ps(); M];
    let low = _mm512_set1_epi8(15);
    for (number, of) in scales.iter().enumerate() {
        let (d, d_min) = (halves_to_floats(&of.d), halves_to_floats(&of.d_min));
        for part in 0..8 {
            let block = number * 8 + part;
            // SAFETY: `block` is below the number of blocks, for which lines, codes, scales and sums can be read; a row of `of` has 16 bytes.
            unsafe {
                let line = lines.add(block * 4).cast::<__m512i>();
                let mut dots = [_mm512_setzero_si512(); M];
                for i in 0..4 {
                    let weights = _mm512_load_si512(line.add(i));
                    let first = _mm512_and_si512(weights, low);
                    let second = _mm512_and_si512(_mm512_srli_epi16::<4>(weights), low);
                    for m in 0..M {
                        let codes = at[m].codes.add(block * 32 + i * 8);
                        dots[m] = _mm512_dpbusd_epi32(dots[m], first, four(codes));
                        dots[m] = _mm512_dpbusd_epi32(dots[m], second, four(codes.add(4)));
                    }
                }
                let whole = |row: &[u8; TILE]| _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(row.as_ptr().cast())));
                let scale = _mm512_mul_ps(d, whole(&of.scale[part]));
                let min = _mm512_mul_ps(d_min, whole(&of.min[part]));
                for m in 0..M {
                    let own = *at[m].scales.add(block);
                    let all = (*at[m].sums.add(2 * block) + *at[m].sums.add(2 * block + 1)) as f32 * own;
                    totals[m] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[m]), _mm512_mul_ps(scale, _mm512_set1_ps(own)), totals[m]);
                    totals[m] = _mm512_fnmadd_ps(min, _mm512_set1_ps(all), totals[m]);
                }
            }
        }
    }
    for (sums, total) in sums.iter_mut().zip(totals) {
        store(sums, _mm512_add_ps(load(sums), total));
    }
}

/// # Safety
/// The processor has the instructions; `64 * scales.len()` lines and, of each vector, `8 * scales.len()` blocks can be read.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,f16c")]
unsafe fn six_512<const M: usize>(lines: *const CodeLine, scales: &[ScalesQ6K], at: &[At; M], sums: &mut [[f32; TILE]; M]) {
    let mut totals = [_mm512_setzero_ps(); M];
    for (number, of) in scales.iter().enumerate() {
        let d = halves_to_floats(&of.d);
        for part in 0..16 {
            let (block, half) = (number * 8 + part / 2, part % 2);
            // SAFETY: `block` is below the number of blocks, for which lines, codes, scales and sums can be read; a row of `of` has 16 bytes.
            unsafe {
                let line = lines.add(block * 8 + half * 4).cast::<__m512i>();
                let mut dots: [__m512i; M] = std::array::from_fn(|m| _mm512_set1_epi32(-32 * *at[m].sums.add(2 * block + half)));
                for i in 0..4 {
                    let weights = _mm512_load_si512(line.add(i));
                    for m in 0..M {
                        dots[m] = _mm512_dpbusd_epi32(dots[m], weights, four(at[m].codes.add(block * 32 + half * 16 + i * 4)));
                    }
                }
                let scale = _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(of.scale[part].as_ptr().cast())));
                let scale = _mm512_mul_ps(d, scale);
                for m in 0..M {
                    let scale = _mm512_mul_ps(scale, _mm512_set1_ps(*at[m].scales.add(block)));
                    totals[m] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[m]), scale, totals[m]);
                }
            }
        }
    }
    for (sums, total) in sums.iter_mut().zip(totals) {
        store(sums, _mm512_add_ps(load(sums), total));
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni,f16c")]
fn halves_512<const M: usize>(values: &[[u16; TILE]], vectors: &[InputVector; M], sums: &mut [[f32; TILE]; M]) {
    let mut totals = [_mm512_setzero_ps(); M];
    let floats = vectors.map(|vector| &vector.floats[..values.len()]);
    for (column, values) in values.iter().enumerate() {
        let values = halves_to_floats(values);
        for m in 0..M {
            totals[m] = _mm512_fmadd_ps(values, _mm512_set1_ps(floats[m][column]), totals[m]);
        }
    }
    for (sums, total) in sums.iter_mut().zip(totals) {
        store(sums, _mm512_add_ps(load(sums), total));
    }
}
