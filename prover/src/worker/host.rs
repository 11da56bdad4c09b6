//! The processor's name, for `hello`.

use std::fs;

/// The processor's own name, or the architecture where the system does not tell.
pub fn cpu() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    model_name(&text).unwrap_or(std::env::consts::ARCH).to_owned()
}

fn model_name(cpuinfo: &str) -> Option<&str> {
    let fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
    let mut names = fields.filter(|(key, _)| key.trim() == "model name").map(|(_, name)| name.trim());
    names.find(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_model_name_counts() {
        let text = "processor\t: 0\nmodel\t\t: 1\nmodel name\t: AMD EPYC: 9 \nprocessor\t: 1\nmodel name\t: other\n";
        assert_eq!(model_name(text), Some("AMD EPYC: 9"));
        assert_eq!(model_name("processor\t: 0\n"), None);
    }
}
