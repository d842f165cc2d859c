//! The kernels with AVX2, FMA and F16C, which most x86-64 processors have: 32 bytes of a tile at a time.

#![allow(unsafe_code, reason = "instructions that not every processor has, and loads by address")]

use std::arch::x86_64::*;

use super::kernel::InputVector;
use super::pack::{CodeLine, ScalesQ4K, ScalesQ6K, TILE};

/// Whether this processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("f16c")
}

/// Sums or scales of the 16 rows of a tile.
type FloatRows = [__m256; 2];
type IntSums = [__m256i; 2];

/// A tile of bytes: 8 lines and one row of scales for each block of 32.
pub(super) fn bytes(lines: &[CodeLine], scales: &[[u16; TILE]], vector: &InputVector, sums: &mut [f32; TILE]) {
    assert!(available());
    // SAFETY: the processor has the instructions; memory is reached through references and slices alone.
    unsafe { bytes_256(lines, scales, vector, sums) }
}

/// A tile of Q4_K: 4 lines for each block of 32, one `ScalesQ4K` for 8 blocks.
pub(super) fn nibbles(lines: &[CodeLine], scales: &[ScalesQ4K], vector: &InputVector, sums: &mut [f32; TILE]) {
    assert!(available());
    // SAFETY: as above.
    unsafe { nibbles_256(lines, scales, vector, sums) }
}

/// A tile of Q6_K: 8 lines for each block of 32, one `ScalesQ6K` for 8 blocks.
pub(super) fn six(lines: &[CodeLine], scales: &[ScalesQ6K], vector: &InputVector, sums: &mut [f32; TILE]) {
    assert!(available());
    // SAFETY: as above.
    unsafe { six_256(lines, scales, vector, sums) }
}

/// A tile of half-precision floats, 16 a column.
pub(super) fn halves(values: &[[u16; TILE]], vector: &InputVector, sums: &mut [f32; TILE]) {
    assert!(available());
    // SAFETY: as above.
    unsafe { halves_256(values, vector, sums) }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn load_line(line: &CodeLine) -> IntSums {
    let at = line.0.as_ptr().cast::<__m256i>();
    // SAFETY: a line has 64 bytes, and is aligned to them.
    unsafe { [_mm256_load_si256(at), _mm256_load_si256(at.add(1))] }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn half_rows(bits: &[u16; TILE]) -> FloatRows {
    let at = bits.as_ptr().cast::<__m128i>();
    // SAFETY: 32 bytes are read, which is what a reference to 16 numbers of 16 bits gives.
    unsafe { [_mm256_cvtph_ps(_mm_loadu_si128(at)), _mm256_cvtph_ps(_mm_loadu_si128(at.add(1)))] }
}

/// 16 small numbers, signed or not, as floats.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn whole_rows(bytes: [u8; TILE], signed: bool) -> FloatRows {
    // SAFETY: 16 bytes are read, which is what the array has.
    let all = unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) };
    [all, _mm_srli_si128::<8>(all)]
        .map(|half| _mm256_cvtepi32_ps(if signed { _mm256_cvtepi8_epi32(half) } else { _mm256_cvtepu8_epi32(half) }))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn four(codes: &[i8]) -> __m256i {
    _mm256_set1_epi32(i32::from_le_bytes([codes[0], codes[1], codes[2], codes[3]].map(i8::cast_unsigned)))
}

/// Adds the products of unsigned weights with four codes. Neither of two neighbouring products may exceed 16,383.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn add_products(dots: IntSums, weights: IntSums, codes: __m256i) -> IntSums {
    let ones = _mm256_set1_epi16(1);
    [0, 1].map(|i| _mm256_add_epi32(dots[i], _mm256_madd_epi16(_mm256_maddubs_epi16(weights[i], codes), ones)))
}

/// `total + dots * scale * own`
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn scaled(totals: FloatRows, dots: IntSums, scale: FloatRows, own: f32) -> FloatRows {
    [0, 1].map(|i| _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[i]), _mm256_mul_ps(scale[i], _mm256_set1_ps(own)), totals[i]))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn add_to(sums: &mut [f32; TILE], totals: FloatRows) {
    let at = sums.as_mut_ptr();
    // SAFETY: 16 floats are read and written, which is what the array has.
    unsafe {
        _mm256_storeu_ps(at, _mm256_add_ps(_mm256_loadu_ps(at), totals[0]));
        _mm256_storeu_ps(at.add(8), _mm256_add_ps(_mm256_loadu_ps(at.add(8)), totals[1]));
    }
}

#[target_feature(enable = "avx2,fma,f16c")]
fn bytes_256(lines: &[CodeLine], scales: &[[u16; TILE]], vector: &InputVector, sums: &mut [f32; TILE]) {
    let mut totals = [_mm256_setzero_ps(); 2];
    let offset = _mm256_set1_epi8(-128);
    let ones = _mm256_set1_epi16(1);
    let blocks = lines.chunks_exact(8).zip(scales).zip(vector.codes.chunks_exact(32)).zip(vector.scales);
    for (((lines, scale), codes), own) in blocks {
        let mut dots = [_mm256_setzero_si256(); 2];
        for (line, codes) in lines.iter().zip(codes.chunks_exact(4)) {
            let (weights, codes) = (load_line(line), four(codes));
            dots = [0, 1].map(|i| {
                // Magnitudes times codes that have taken the weights' signs: products of at most 128 · 127.
                let signed = _mm256_xor_si256(weights[i], offset);
                let products = _mm256_maddubs_epi16(_mm256_abs_epi8(signed), _mm256_sign_epi8(codes, signed));
                _mm256_add_epi32(dots[i], _mm256_madd_epi16(products, ones))
            });
        }
        totals = scaled(totals, dots, half_rows(scale), *own);
    }
    add_to(sums, totals);
}

#[target_feature(enable = "avx2,fma,f16c")]
fn nibbles_256(lines: &[CodeLine], scales: &[ScalesQ4K], vector: &InputVector, sums: &mut [f32; TILE]) {
    let mut totals = [_mm256_setzero_ps(); 2];
    let low = _mm256_set1_epi8(15);
    for ((lines, of), number) in lines.chunks_exact(32).zip(scales).zip(0..) {
        let (d, d_min) = (half_rows(&of.d), half_rows(&of.d_min));
        for (part, lines) in lines.chunks_exact(4).enumerate() {
            let block = number * 8 + part;
            let mut dots = [_mm256_setzero_si256(); 2];
            for (line, codes) in lines.iter().zip(vector.codes[block * 32..block * 32 + 32].chunks_exact(8)) {
                let weights = load_line(line);
                dots = add_products(dots, weights.map(|w| _mm256_and_si256(w, low)), four(&codes[..4]));
                dots = add_products(dots, weights.map(|w| _mm256_and_si256(_mm256_srli_epi16::<4>(w), low)), four(&codes[4..]));
            }
            let (scale, min) = (whole_rows(of.scale[part], false), whole_rows(of.min[part], false));
            let own = vector.scales[block];
            let all = _mm256_set1_ps((vector.sums[2 * block] + vector.sums[2 * block + 1]) as f32 * own);
            totals = scaled(totals, dots, [0, 1].map(|i| _mm256_mul_ps(d[i], scale[i])), own);
            totals = [0, 1].map(|i| _mm256_fnmadd_ps(_mm256_mul_ps(d_min[i], min[i]), all, totals[i]));
        }
    }
    add_to(sums, totals);
}

#[target_feature(enable = "avx2,fma,f16c")]
fn six_256(lines: &[CodeLine], scales: &[ScalesQ6K], vector: &InputVector, sums: &mut [f32; TILE]) {
    let mut totals = [_mm256_setzero_ps(); 2];
    for ((lines, of), number) in lines.chunks_exact(64).zip(scales).zip(0..) {
        let d = half_rows(&of.d);
        for (part, lines) in lines.chunks_exact(4).enumerate() {
            let half = number * 16 + part;
            let mut dots = [_mm256_set1_epi32(-32 * vector.sums[half]); 2];
            for (line, codes) in lines.iter().zip(vector.codes[half * 16..half * 16 + 16].chunks_exact(4)) {
                dots = add_products(dots, load_line(line), four(codes));
            }
            let scale = whole_rows(of.scale[part].map(i8::cast_unsigned), true);
            totals = scaled(totals, dots, [0, 1].map(|i| _mm256_mul_ps(d[i], scale[i])), vector.scales[half / 2]);
        }
    }
    add_to(sums, totals);
}

#[target_feature(enable = "avx2,fma,f16c")]
fn halves_256(values: &[[u16; TILE]], vector: &InputVector, sums: &mut [f32; TILE]) {
    let mut totals = [_mm256_setzero_ps(); 2];
    for (values, x) in values.iter().zip(vector.floats) {
        let values = half_rows(values);
        totals = [0, 1].map(|i| _mm256_fmadd_ps(values[i], _mm256_set1_ps(*x), totals[i]));
    }
    add_to(sums, totals);
}
