//! Activations of feed-forward blocks: GELU in both of its forms, SiLU; and the soft cap of scores and logits.

use pulp::{Arch, Simd, WithSimd};

use super::{exp, fma};

/// GELU, `x · Φ(x)` (Hendrycks and Gimpel 2016), by the error function.
#[inline(always)]
pub(in crate::model::infer) fn gelu<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    let half = simd.mul_f32s(x, simd.splat_f32s(0.5));
    let error = erf(simd, simd.mul_f32s(x, simd.splat_f32s(std::f32::consts::FRAC_1_SQRT_2)));
    simd.mul_add_e_f32s(half, error, half)
}

/// [`gelu`] of every number.
pub(in crate::model::infer) fn gelu_in_place(numbers: &mut [f32]) {
    struct Gelu<'a>(&'a mut [f32]);

    impl WithSimd for Gelu<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (whole, rest) = S::as_mut_simd_f32s(self.0);
            for x in whole {
                *x = gelu(simd, *x);
            }
            for x in rest {
                let mut lanes = [0.0; 16];
                lanes[0] = *x;
                for lanes in S::as_mut_simd_f32s(&mut lanes).0 {
                    *lanes = gelu(simd, *lanes);
                }
                *x = lanes[0];
            }
        }
    }

    Arch::new().dispatch(Gelu(numbers));
}

/// The error function, within 4·10⁻⁷: the rational approximation of Eigen and XLA.
#[inline(always)]
fn erf<S: Simd>(simd: S, x: S::f32s) -> S::f32s {
    const ABOVE: [f32; 7] =
        [-2.726_142_3e-10, 2.770_681_5e-8, -2.101_024e-6, -5.692_506_3e-5, -7.349_906_3e-4, -2.954_6e-3, -1.609_603_3e-2];
    const BELOW: [f32; 5] = [-1.456_607_2e-5, -2.133_740_6e-4, -1.682_827e-3, -7.373_329_2e-3, -1.426_473_9e-2];
    let x = simd.min_f32s(simd.max_f32s(x, simd.splat_f32s(-4.0)), simd.splat_f32s(4.0));
    let square = simd.mul_f32s(x, x);
    let mut above = simd.splat_f32s(ABOVE[0]);
    for factor in &ABOVE[1..] {
        above = simd.mul_add_e_f32s(above, square, simd.splat_f32s(*factor));
    }
    let mut below = simd.splat_f32s(BELOW[0]);
    for factor in &BELOW[1..] {
        below = simd.mul_add_e_f32s(below, square, simd.splat_f32s(*factor));
    }
    simd.div_f32s(simd.mul_f32s(x, above), below)
}

/// SiLU, `x · σ(x)`, of `gate`, times `up`.
pub(in crate::model::infer) fn silu_times(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        *gate = *gate / (1.0 + exp(-*gate)) * up;
    }
}

/// GELU of `gate` by its tanh approximation, which the models that use it were trained with, times `up`.
pub(in crate::model::infer) fn gelu_tanh_times(gate: &mut [f32], up: &[f32]) {
    for (gate, up) in gate.iter_mut().zip(up) {
        let x = *gate;
        let inner = 0.797_884_6 * fma(0.044_715 * x * x, x, x);
        // tanh(y) = 1 − 2 / (1 + exp(2y))
        *gate = 0.5 * x * (2.0 - 2.0 / (1.0 + exp(2.0 * inner))) * up;
    }
}

/// Limits values to ±`cap` by `tanh`.
pub(in crate::model::infer) fn soft_cap(values: &mut [f32], cap: f32) {
    for value in values {
        *value = (*value / cap).tanh() * cap;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gelu_has_the_values_of_the_literature() {
        let inputs = [-10.0, -3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 10.0, 100.0, -100.0, 2.0, -2.0, 0.1, -0.1, 4.0];
        let mut x = inputs;
        gelu_in_place(&mut x);
        let want = [
            0.0,
            -0.004_049_7,
            -0.158_655_3,
            -0.154_268_8,
            0.0,
            0.345_731_2,
            0.841_344_7,
            2.995_950_2,
            10.0,
            100.0,
            0.0,
            1.954_499_7,
            -0.045_500_3,
            0.053_982_8,
            -0.046_017_2,
            3.999_873_3,
        ];
        for ((got, want), input) in x.iter().zip(want).zip(inputs) {
            // What an error function within 4·10⁻⁷ comes to, and the rounding of the result.
            let allowed = 2e-7 * f32::abs(input) + 2e-7;
            assert!((got - want).abs() < allowed, "GELU of {input}: {got} for {want}");
        }
    }

    #[test]
    fn gates_are_as_defined() {
        for i in -60..60 {
            let x = i as f32 * 0.2;
            let (mut silu, mut gelu) = ([x], [x]);
            silu_times(&mut silu, &[2.0]);
            gelu_tanh_times(&mut gelu, &[2.0]);
            let x = f64::from(x);
            assert!((f64::from(silu[0]) - 2.0 * x / (1.0 + (-x).exp())).abs() < 1e-5);
            let want = x * (1.0 + (0.797_884_560_802_865 * (x + 0.044_715 * x * x * x)).tanh());
            assert!((f64::from(gelu[0]) - want).abs() < 1e-5);
        }
    }
}
