//! Memory and CPU time of a process, as the kernel counts them.

use std::time::Duration;

use crate::Error;

/// Use of one process since its start. Memory in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    pub cpu: Duration,
    pub resident: u64,
    /// The part of it that belongs to this process alone: neither files nor shared memory.
    pub private: u64,
    pub peak_resident: u64,
}

/// The use of a process.
#[cfg(target_os = "linux")]
pub fn of(process: u32) -> Result<Usage, Error> {
    let process = procfs::process::Process::new(i32::try_from(process)?)?;
    let stat = process.stat()?;
    let status = process.status()?;
    Ok(Usage {
        cpu: time(stat.utime + stat.stime)?,
        resident: status.vmrss.unwrap_or_default() * 1024,
        private: status.rssanon.unwrap_or_default() * 1024,
        peak_resident: status.vmhwm.unwrap_or_default() * 1024,
    })
}

/// The CPU time of the programs that this process started and that have ended.
#[cfg(target_os = "linux")]
pub fn of_ended_programs() -> Result<Duration, Error> {
    let stat = procfs::process::Process::myself()?.stat()?;
    time(u64::try_from(stat.cutime + stat.cstime)?)
}

#[cfg(target_os = "linux")]
fn time(ticks: u64) -> Result<Duration, Error> {
    let per_second = u32::try_from(procfs::ticks_per_second())?;
    Ok(Duration::from_secs(ticks) / per_second)
}

/// Resets the peak memory of a process to its current memory.
#[cfg(target_os = "linux")]
pub fn forget_peak(process: u32) -> Result<(), Error> {
    Ok(std::fs::write(format!("/proc/{process}/clear_refs"), "5")?)
}

#[cfg(not(target_os = "linux"))]
pub fn forget_peak(_process: u32) -> Result<(), Error> {
    Err("memory is read from /proc, which only Linux has".into())
}

#[cfg(not(target_os = "linux"))]
pub fn of_ended_programs() -> Result<Duration, Error> {
    Err("CPU time is read from /proc, which only Linux has".into())
}

#[cfg(not(target_os = "linux"))]
pub fn of(_process: u32) -> Result<Usage, Error> {
    Err("CPU time and memory are read from /proc, which only Linux has".into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_and_uses_time() {
        let before = of(std::process::id()).unwrap();
        assert!(before.private > 0 && before.resident >= before.private);
        assert!(before.peak_resident >= before.resident);
        let mut sum = 0_u64;
        while of(std::process::id()).unwrap().cpu == before.cpu {
            sum = std::hint::black_box(sum.wrapping_add(1));
        }
        assert!(of(std::process::id()).unwrap().cpu > before.cpu);
    }

    #[test]
    fn a_program_counts_when_it_has_ended() {
        let before = of_ended_programs().unwrap();
        let script = "n=0; while [ $n -lt 300000 ]; do n=$((n + 1)); done";
        let ended = std::process::Command::new("sh")
            .args(["-c", script])
            .status();
        assert!(ended.unwrap().success());
        assert!(of_ended_programs().unwrap() > before);
    }
}
