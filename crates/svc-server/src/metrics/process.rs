//! What the process takes of the machine, as far as the system says it: under the names that all programs have for it.

use super::families::Families;

/// What the process takes. What is not known is left out.
#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(super) cpu_seconds: Option<f64>,
    pub(super) resident_bytes: Option<f64>,
    virtual_bytes: Option<f64>,
    threads: Option<f64>,
    open_files: Option<f64>,
    most_open_files: Option<f64>,
    started: Option<f64>,
}

impl Process {
    pub(crate) fn add_to(&self, families: &mut Families) {
        families.counter(
            "process_cpu_seconds_total",
            "Time that the process has had on all cores, in the program and in the system.",
            self.cpu_seconds.map(|value| (Vec::new(), value)),
        );
        for (name, help, value) in [
            (
                "process_resident_memory_bytes",
                "Memory of the process that is in use.",
                self.resident_bytes,
            ),
            (
                "process_virtual_memory_bytes",
                "Addresses of memory that the process has.",
                self.virtual_bytes,
            ),
            ("process_threads", "Threads of the process.", self.threads),
            (
                "process_open_fds",
                "File descriptors that are open.",
                self.open_files,
            ),
            (
                "process_max_fds",
                "The most file descriptors that may be open.",
                self.most_open_files,
            ),
            (
                "process_start_time_seconds",
                "When the process began, in seconds since 1970.",
                self.started,
            ),
        ] {
            families.gauge(name, help, value.map(|value| (Vec::new(), value)));
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(crate) fn read() -> Self {
        Self::default()
    }

    /// Reads what there is. It may wait for the system.
    #[cfg(target_os = "linux")]
    pub(crate) fn read() -> Self {
        use std::fs;

        let ticks = rustix::param::clock_ticks_per_second() as f64;
        let page = rustix::param::page_size() as f64;
        let files = rustix::process::getrlimit(rustix::process::Resource::Nofile);
        let open_files = fs::read_dir("/proc/self/fd").map(Iterator::count);
        let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let stat = Stat::parse(&text);
        let field = |number| stat.as_ref().and_then(|stat| stat.field(number));
        Self {
            cpu_seconds: (field(14).zip(field(15))).map(|(user, system)| (user + system) / ticks),
            resident_bytes: field(24).map(|pages| pages * page),
            virtual_bytes: field(23),
            threads: field(20),
            // One is the folder that is read.
            open_files: open_files.ok().map(|open| open.saturating_sub(1) as f64),
            most_open_files: files.current.map(|most| most as f64),
            started: (field(22).zip(machine_started())).map(|(after, begun)| begun + after / ticks),
        }
    }
}

/// The fields of `/proc/self/stat` behind the name of the program, which may hold spaces.
#[cfg(target_os = "linux")]
struct Stat<'t>(Vec<&'t str>);

#[cfg(target_os = "linux")]
impl<'t> Stat<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (_, behind) = text.rsplit_once(')')?;
        Some(Self(behind.split_whitespace().collect()))
    }

    /// A field by the number that its documentation has, which is 3 for the first behind the name.
    fn field(&self, number: usize) -> Option<f64> {
        self.0.get(number.checked_sub(3)?)?.parse().ok()
    }
}

/// When the machine began, in seconds since 1970.
#[cfg(target_os = "linux")]
fn machine_started() -> Option<f64> {
    use std::sync::OnceLock;

    static STARTED: OnceLock<Option<f64>> = OnceLock::new();
    *STARTED.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/stat").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("btime "));
        line?.trim().parse().ok()
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_what_the_process_takes() {
        let process = Process::read();
        let mut families = Families::default();
        process.add_to(&mut families);
        let text = families.to_text().unwrap();
        assert_eq!(text.matches("# TYPE process_").count(), 7, "{text}");
        assert!(process.resident_bytes.unwrap() > 100_000.0);
        assert!(process.open_files.unwrap() <= process.most_open_files.unwrap());
        let now = jiff::Timestamp::now().as_second() as f64;
        let started = process.started.unwrap();
        assert!((now - 86_400.0..=now + 1.0).contains(&started), "{started}");
    }

    #[test]
    fn a_name_with_spaces_and_brackets_moves_no_field() {
        let stat = Stat::parse("12 (a ) b) S 1 2 3").unwrap();
        assert_eq!((stat.field(4), stat.field(6)), (Some(1.0), Some(3.0)));
        assert_eq!((stat.field(3), stat.field(7)), (None, None));
    }
}
