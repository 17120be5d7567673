//! What the node that answers has done during the last hours, as small charts.

use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use svc_model::administration::service::{Metrics, Sample};

use super::{Operated, Part};
use crate::{
    answer::Answer,
    problem::Result,
    texts::Texts,
    ui::{
        chart::{Chart, Point, Shape, chart},
        time,
    },
};

/// How many points a line has at most.
const POINTS: usize = 120;
/// The spans of time that can be looked at, in hours; the first one is shown at first.
const SPANS: [u32; 2] = [2, 24];

/// A figure that is drawn.
struct Figure {
    name: String,
    decimals: usize,
    of: fn(&Sample) -> Option<f64>,
}

/// The figures.
pub(super) async fn answer(operated: &Operated<'_>) -> Result<Answer> {
    let administration = operated.client.administration();
    let service = administration.service();
    let (metrics, known) = tokio::try_join!(async { service.metrics().send().await }, async {
        service.get().send().await
    },)?;
    let wanted = operated.visit.query()?;
    let wanted = wanted.text("hours").parse().ok();
    let hours = SPANS.into_iter().find(|span| Some(*span) == wanted);
    let page = shown(
        operated,
        &metrics,
        known.nodes.len() > 1,
        hours.unwrap_or(SPANS[0]),
    );
    Ok(Answer::page(operated.page(Part::Figures, &page)))
}

fn shown(operated: &Operated<'_>, metrics: &Metrics, has_others: bool, hours: u32) -> Markup {
    let texts = operated.visit.texts;
    let seconds = metrics.seconds.max(1);
    let whole = usize::try_from(hours * 3_600 / seconds).unwrap_or_default();
    let first = metrics.samples.len().saturating_sub(whole);
    let samples = metrics.samples.get(first..).unwrap_or_default();
    let each = whole.div_ceil(POINTS).max(1);
    let samples: Vec<Sample> = samples.chunks(each).map(averaged).collect();
    let place = operated.place(Part::Figures);
    html! {
        p {
            (texts.get("service-figures-of")) " " bdi { (metrics.node) } " (" bdi { (metrics.address) } "), "
            (texts.get("service-figures-since")) " " (time::minute(operated.account, &metrics.since)) "."
            @if has_others { " " (texts.get("service-figures-others")) }
        }
        @if samples.is_empty() {
            p.empty-state { (texts.with("service-figures-empty", [("time", begin(operated, metrics).into()), ("seconds", seconds.into())])) }
        } @else {
            nav.actions.spans aria-label=(texts.get("service-figures-span")) {
                @for span in SPANS {
                    a.button href=(place.clone().with("hours", &span.to_string())) aria-current=[(span == hours).then_some("page")] {
                        (texts.with("service-figures-hours", [("count", span.into())]))
                    }
                }
                @if each > 1 {
                    span.muted { (texts.with("service-figures-average", [("minutes", (each * seconds as usize / 60).into())])) }
                }
            }
        }
        div.dashboard.figures {
            @for figure in figures(texts) {
                section.tile {
                    h2 { (figure.name) }
                    (newest(operated, &figure, samples.last(), &metrics.current))
                    @if !samples.is_empty() {
                        (chart(texts, &drawn(operated, &figure, &samples)))
                    }
                }
            }
        }
    }
}

/// The time of the first sample.
fn begin(operated: &Operated<'_>, metrics: &Metrics) -> String {
    let since: Option<Timestamp> = metrics.since.parse().ok();
    let first = since.and_then(|since| {
        let sample = SignedDuration::from_secs(metrics.seconds.into());
        since.checked_add(sample).ok()
    });
    let first = first.map_or(metrics.since.clone(), |first| first.to_string());
    time::clock(operated.account, &first)
}

fn figures(texts: &Texts) -> [Figure; 6] {
    [
        Figure {
            name: texts.get("service-figure-requests"),
            decimals: 2,
            of: |sample| Some(sample.requests_per_second),
        },
        Figure {
            name: texts.get("service-figure-errors"),
            decimals: 3,
            of: |sample| Some(sample.errors_per_second),
        },
        Figure {
            name: texts.get("service-figure-duration"),
            decimals: 1,
            of: |sample| sample.mean_seconds.map(|seconds| seconds * 1_000.0),
        },
        Figure {
            name: texts.get("service-figure-cpu"),
            decimals: 2,
            of: |sample| sample.cpu_cores,
        },
        Figure {
            name: texts.get("service-figure-memory"),
            decimals: 0,
            of: |sample| sample.memory_bytes.map(|bytes| bytes as f64 / 1e6),
        },
        Figure {
            name: texts.get("service-figure-connections"),
            decimals: 1,
            of: |sample| Some(sample.connections_used as f64),
        },
    ]
}

/// The figure with which the line ends; where there is no line yet, that of this moment.
fn newest(
    operated: &Operated<'_>,
    figure: &Figure,
    last: Option<&Sample>,
    current: &Sample,
) -> Markup {
    let texts = operated.visit.texts;
    let value = (figure.of)(last.unwrap_or(current));
    let when = match last {
        Some(last) => {
            let time = time::clock(operated.account, &last.at);
            texts.with("service-figure-until", [("time", time.into())])
        }
        None => texts.get("service-figure-now"),
    };
    html! {
        p.big-number {
            @match value {
                Some(value) => {
                    @let exact = written(value, figure.decimals);
                    data value=(exact) { (texts.number(&exact)) }
                },
                None => "–",
            }
            " " span.small.muted { (when) }
        }
    }
}

fn drawn(operated: &Operated<'_>, figure: &Figure, samples: &[Sample]) -> Chart {
    let points = samples.iter().map(|sample| {
        let value = (figure.of)(sample);
        let exact = value.map(|value| written(value, figure.decimals));
        Point {
            label: time::clock(operated.account, &sample.at),
            exact: exact.unwrap_or_else(|| "–".to_owned()),
            value,
            href: None,
        }
    });
    Chart {
        shape: Shape::Line,
        title: figure.name.clone(),
        label: operated.visit.texts.get("service-figure-time"),
        number: figure.name.clone(),
        points: points.collect(),
        is_time: true,
    }
}

/// What has been during all of several samples.
fn averaged(samples: &[Sample]) -> Sample {
    let mean = |of: fn(&Sample) -> Option<f64>| {
        let values: Vec<f64> = samples.iter().filter_map(of).collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let mut all = samples.last().cloned().unwrap_or_default();
    if samples.len() < 2 {
        return all;
    }
    let requests = |sample: &Sample| Some(sample.requests_per_second);
    let seconds = |sample: &Sample| Some(sample.mean_seconds? * sample.requests_per_second);
    // An average of averages would count a request in a quiet minute for more than one in a busy one.
    let all_seconds: f64 = samples.iter().filter_map(seconds).sum();
    let all_requests: f64 = samples.iter().filter_map(requests).sum();
    all.mean_seconds = (all_requests > 0.0).then(|| all_seconds / all_requests);
    all.requests_per_second = mean(requests).unwrap_or_default();
    all.errors_per_second = mean(|sample| Some(sample.errors_per_second)).unwrap_or_default();
    all.cpu_cores = mean(|sample| sample.cpu_cores);
    let memory = mean(|sample| sample.memory_bytes.map(|bytes| bytes as f64));
    all.memory_bytes = memory.map(|bytes| bytes as u64);
    // The most that were in use, since whether there were enough is what one wants to see.
    let used = samples.iter().map(|sample| sample.connections_used);
    all.connections_used = used.max().unwrap_or_default();
    all
}

/// A number with as many decimals as say something.
fn written(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(requests: f64, mean: Option<f64>, connections: u64) -> Sample {
        let mut sample = Sample::default();
        sample.requests_per_second = requests;
        sample.mean_seconds = mean;
        sample.connections_used = connections;
        sample.cpu_cores = mean;
        sample
    }

    #[test]
    fn several_samples_are_averaged_by_how_much_there_was() {
        let busy = sample(9.0, Some(0.1), 4);
        let quiet = sample(1.0, Some(1.1), 1);
        let idle = sample(0.0, None, 0);
        let all = averaged(&[busy.clone(), quiet, idle.clone()]);
        assert_eq!(all.connections_used, 4);
        assert!((all.mean_seconds.unwrap() - 0.2).abs() < 1e-9, "{all:?}");
        assert!((all.requests_per_second - 10.0 / 3.0).abs() < 1e-9);
        assert!((all.cpu_cores.unwrap() - 0.6).abs() < 1e-9);
        assert_eq!(averaged(&[idle.clone(), idle]).mean_seconds, None);
        assert_eq!(averaged(std::slice::from_ref(&busy)), busy);
    }

    #[test]
    fn numbers_have_no_decimals_that_say_nothing() {
        let all = [(0.0, 2), (10.0, 1), (1.5, 2), (0.123_4, 2), (100.0, 0)];
        let texts = all.map(|(value, decimals)| written(value, decimals));
        assert_eq!(texts, ["0", "10", "1.5", "0.12", "100"]);
    }
}
