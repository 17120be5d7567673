//! Figures in the data model of Prometheus, and their text.

use prometheus::{
    TextEncoder,
    proto::{Bucket, Counter, Gauge, Histogram, LabelPair, Metric, MetricFamily, MetricType},
};
use svc_data::{DURATION_BOUNDS, DurationCounts};

/// The labels of a figure: names and values.
pub(crate) type Labels = Vec<(&'static str, String)>;

/// The figures of an answer, in the order in which they are added.
#[derive(Default)]
pub(crate) struct Families(Vec<MetricFamily>);

impl Families {
    /// Adds figures that go up and down.
    pub(crate) fn gauge(
        &mut self,
        name: &str,
        help: &str,
        figures: impl IntoIterator<Item = (Labels, f64)>,
    ) {
        self.add(name, help, MetricType::GAUGE, figures, |metric, value| {
            let mut gauge = Gauge::default();
            gauge.set_value(value);
            metric.set_gauge(gauge);
        });
    }

    /// Adds figures that only grow.
    pub(crate) fn counter(
        &mut self,
        name: &str,
        help: &str,
        figures: impl IntoIterator<Item = (Labels, f64)>,
    ) {
        self.add(name, help, MetricType::COUNTER, figures, |metric, value| {
            let mut counter = Counter::default();
            counter.set_value(value);
            metric.set_counter(counter);
        });
    }

    /// Adds times.
    pub(crate) fn histogram(
        &mut self,
        name: &str,
        help: &str,
        figures: impl IntoIterator<Item = (Labels, DurationCounts)>,
    ) {
        self.add(
            name,
            help,
            MetricType::HISTOGRAM,
            figures,
            |metric, counts: DurationCounts| {
                let within = DURATION_BOUNDS.into_iter().zip(counts.within);
                let buckets = within.map(|(bound, count)| {
                    let mut bucket = Bucket::default();
                    bucket.set_upper_bound(bound);
                    bucket.set_cumulative_count(count);
                    bucket
                });
                let mut histogram = Histogram::default();
                histogram.set_bucket(buckets.collect());
                histogram.set_sample_count(counts.count);
                histogram.set_sample_sum(counts.seconds);
                metric.set_histogram(histogram);
            },
        );
    }

    /// Adds a family, unless it has no figures: the format has no empty ones.
    fn add<T>(
        &mut self,
        name: &str,
        help: &str,
        kind: MetricType,
        figures: impl IntoIterator<Item = (Labels, T)>,
        set: impl Fn(&mut Metric, T),
    ) {
        let figures = figures.into_iter().map(|(labels, figure)| {
            let labels = labels.into_iter().map(|(name, value)| {
                let mut label = LabelPair::default();
                label.set_name(name.to_owned());
                label.set_value(value);
                label
            });
            let mut metric = Metric::from_label(labels.collect());
            set(&mut metric, figure);
            metric
        });
        let figures: Vec<_> = figures.collect();
        if figures.is_empty() {
            return;
        }
        let mut family = MetricFamily::default();
        family.set_name(name.to_owned());
        family.set_help(help.to_owned());
        family.set_field_type(kind);
        family.set_metric(figures);
        self.0.push(family);
    }

    /// The text of all.
    pub(crate) fn to_text(&self) -> prometheus::Result<String> {
        TextEncoder::new().encode_to_string(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use svc_data::Durations;

    use super::*;

    #[test]
    fn figures_are_written_with_their_labels_and_a_family_without_any_is_left_out() {
        let mut families = Families::default();
        families.gauge("none", "Nothing.", []);
        families.gauge(
            "some",
            "Something.",
            [(vec![("a", "x\"y".to_owned())], 2.0)],
        );
        families.counter("all_total", "All.", [(Vec::new(), 3.0)]);
        let durations = Durations::default();
        durations.observe(Duration::from_millis(2));
        families.histogram("time_seconds", "Time.", [(Vec::new(), durations.counts())]);
        let text = families.to_text().unwrap();
        for line in [
            "# TYPE some gauge",
            r#"some{a="x\"y"} 2"#,
            "# TYPE all_total counter",
            "all_total 3",
            "# TYPE time_seconds histogram",
            r#"time_seconds_bucket{le="0.001"} 0"#,
            r#"time_seconds_bucket{le="0.0025"} 1"#,
            r#"time_seconds_bucket{le="+Inf"} 1"#,
            "time_seconds_sum 0.002",
            "time_seconds_count 1",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains("none"), "{text}");
    }
}
