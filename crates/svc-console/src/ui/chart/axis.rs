//! The axis of the numbers.

use super::{Chart, value_of};

/// How many steps an axis has, about.
const STEPS: f64 = 4.0;
/// Beyond this nothing is drawn.
const LARGEST: f64 = 1e200;

/// An axis from its lowest to its highest number; 0 is always on it.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// The axis on which all points of a chart are.
    pub(super) fn of(chart: &Chart) -> Self {
        let values = || chart.points.iter().map(|point| drawn(value_of(point)));
        let high = values().fold(0.0, f64::max);
        let low = values().fold(0.0, f64::min);
        let high: f64 = if high > low { high } else { 1.0 };
        let span = high - low;
        let step = nice(span / STEPS);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high, step }
    }

    /// Where a number is: 0 is the lowest place, 1 the highest.
    pub(super) fn place(&self, value: f64) -> f64 {
        ((drawn(value) - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// The numbers that are written beside it.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let count = ((self.high - self.low) / self.step)
            .round()
            .clamp(1.0, 10.0);
        (0..=count as u32)
            .map(|at| self.low + f64::from(at) * self.step)
            .collect()
    }

    /// A number beside it, without digits that only computing has made.
    pub(super) fn text(&self, value: f64) -> String {
        if self.step >= 1e12 || self.step < 1e-6 {
            return format!("{value:.1e}");
        }
        let is_whole = |decimals: &i32| {
            let step = self.step * 10_f64.powi(*decimals);
            (step - step.round()).abs() < step * 1e-9
        };
        let decimals = (0..8).find(is_whole).unwrap_or(8) as usize;
        format!("{value:.decimals$}")
    }
}

/// A number that can be drawn.
fn drawn(value: f64) -> f64 {
    match value.is_nan() {
        true => 0.0,
        false => value.clamp(-LARGEST, LARGEST),
    }
}

/// The next of 1, 2, 2.5, 5, 10 and so on that is not less.
fn nice(step: f64) -> f64 {
    let power = 10_f64.powf(step.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    let fits = steps
        .into_iter()
        .find(|known| known * power >= step * 0.999_999);
    fits.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::chart::{Point, Shape};

    fn axis(values: &[f64]) -> Axis {
        let points = values.iter().map(|value| Point {
            value: Some(*value),
            ..Point::default()
        });
        Axis::of(&Chart {
            shape: Shape::Bar,
            title: String::new(),
            label: String::new(),
            number: String::new(),
            points: points.collect(),
            is_time: false,
        })
    }

    #[test]
    fn the_numbers_beside_an_axis_are_round_and_have_zero_among_them() {
        let texts = |values: &[f64]| -> Vec<String> {
            let axis = axis(values);
            axis.ticks()
                .into_iter()
                .map(|tick| axis.text(tick))
                .collect()
        };
        assert_eq!(texts(&[97.0]), ["0", "25", "50", "75", "100"]);
        assert_eq!(texts(&[-3.0, 3.0]), ["-4", "-2", "0", "2", "4"]);
        assert_eq!(texts(&[0.3]), ["0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(texts(&[0.0]), ["0.00", "0.25", "0.50", "0.75", "1.00"]);
    }
}
