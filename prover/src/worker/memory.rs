//! How much memory the machine can give, and the high-water mark of this process's, one iteration at a time.

use std::fs;

/// Resets the mark to what is resident now. `false` where the kernel does not allow it: then [`peak_bytes`] would tell of
/// earlier iterations too, and must not be reported.
pub fn reset_peak() -> bool {
    // 5 resets the peak alone: proc(5), /proc/pid/clear_refs.
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// The most memory that was resident since the last [`reset_peak`].
pub fn peak_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/self/status").ok()?, "VmHWM:")
}

/// The memory that can be had without swapping, as the kernel estimates it.
pub fn available_bytes() -> Option<u64> {
    field(&fs::read_to_string("/proc/meminfo").ok()?, "MemAvailable:")
}

/// A line of proc(5)'s, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_among_the_others() {
        let status = "Name:\tprover\nVmPeak:\t  999 kB\nVmHWM:\t    1234 kB\nVmRSS:\t 1000 kB\n";
        assert_eq!(field(status, "VmHWM:"), Some(1234 * 1024));
        assert_eq!(field("Name:\tprover\n", "VmHWM:"), None);
    }

    #[test]
    fn available_memory_is_not_free_memory() {
        let meminfo = "MemTotal:       24689788 kB\nMemFree:         1 kB\nMemAvailable:   23074904 kB\n";
        assert_eq!(field(meminfo, "MemAvailable:"), Some(23_074_904 * 1024));
        assert!(available_bytes().is_some_and(|bytes| bytes > 0));
    }
}
