//! What auxiliary variables are called, so that an error can name one among millions.
//!
//! A namespace is stored once, when the first variable is allocated in it, and all text in one string.

/// A piece of the text, and the namespace that it stands in.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Where its text ends; it begins where the text of the entry before ends.
    end: usize,
    /// The namespace around it.
    parent: Option<usize>,
}

/// The namespaces that are open now, and the names of all variables.
#[derive(Debug, Default)]
pub(super) struct Names {
    text: String,
    /// Namespaces and variables, in the order of their first use.
    entries: Vec<Entry>,
    /// Each variable's entry.
    variables: Vec<usize>,
    /// The open namespaces, and their entries once they have one.
    open: Vec<(String, Option<usize>)>,
}

impl Names {
    pub(super) fn enter(&mut self, namespace: String) {
        self.open.push((namespace, None));
    }

    pub(super) fn leave(&mut self) {
        self.open.pop();
    }

    pub(super) fn push_variable(&mut self, name: &str) {
        let mut parent = None;
        // The namespaces that have an entry are the outer ones.
        let known = self.open.iter().rposition(|(_, entry)| entry.is_some()).map_or(0, |last| last + 1);
        if known > 0 {
            parent = self.open[known - 1].1;
        }
        for (namespace, entry) in &mut self.open[known..] {
            self.text.push_str(namespace);
            self.entries.push(Entry { end: self.text.len(), parent });
            *entry = Some(self.entries.len() - 1);
            parent = *entry;
        }
        self.text.push_str(name);
        self.variables.push(self.entries.len());
        self.entries.push(Entry { end: self.text.len(), parent });
    }

    /// The namespaces and the name of a variable, joined by `/`.
    pub(super) fn path(&self, variable: usize) -> String {
        let mut parts = Vec::new();
        let mut next = self.variables.get(variable).copied();
        while let Some(entry) = next {
            let start = entry.checked_sub(1).map_or(0, |before| self.entries[before].end);
            parts.push(&self.text[start..self.entries[entry].end]);
            next = self.entries[entry].parent;
        }
        parts.reverse();
        parts.join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_follow_the_namespaces() {
        let mut names = Names::default();
        names.push_variable("top");
        names.enter("outer".to_owned());
        names.enter("unused".to_owned());
        names.leave();
        names.enter("inner".to_owned());
        names.push_variable("first");
        names.push_variable("");
        names.leave();
        names.push_variable("second");
        names.leave();
        names.push_variable("last");
        let paths: Vec<String> = (0..6).map(|variable| names.path(variable)).collect();
        assert_eq!(paths, ["top", "outer/inner/first", "outer/inner/", "outer/second", "last", ""]);
    }
}
