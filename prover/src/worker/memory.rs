//! The high-water mark of this process's memory, one iteration at a time.

use std::fs;

/// Resets the mark to what is resident now. `false` where the kernel does not allow it: then [`peak_bytes`] would tell of
/// earlier iterations too, and must not be reported.
pub fn reset_peak() -> bool {
    // 5 resets the peak alone: proc(5), /proc/pid/clear_refs.
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The most memory that was resident since the last [`reset_peak`].
pub fn peak_bytes() -> Option<u64> {
    peak_in(&fs::read_to_string("/proc/self/status").ok()?)
}

fn peak_in(status: &str) -> Option<u64> {
    let value = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_among_the_others() {
        let status = "Name:\tprover\nVmPeak:\t  999 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1000 kB\n";
        assert_eq!(peak_in(status), Some(1234 * 1024));
        assert_eq!(peak_in("Name:\tprover\n"), None);
    }
}
