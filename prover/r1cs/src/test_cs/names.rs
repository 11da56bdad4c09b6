//! Who has which name: paths of namespaces, each given once.

use std::collections::HashMap;

use crate::{Index, Variable};

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Object {
    Constraint,
    Var(Variable),
    Namespace,
}

/// All names so far, and the namespaces that are entered now.
#[derive(Debug, Default)]
pub(super) struct Names {
    objects: HashMap<String, Object>,
    namespaces: Vec<String>,
}

impl Names {
    /// Gives `object` this name in the current namespace and returns the full name.
    pub(super) fn define(&mut self, name: &str, object: Object) -> String {
        assert!(!name.contains('/'), "a name must not hold '/', which stands between the names of a path");
        let path = if self.namespaces.is_empty() {
            name.to_owned()
        } else {
            let mut path = self.namespaces.join("/");
            path.push('/');
            path.push_str(name);
            path
        };
        let before = self.objects.insert(path.clone(), object);
        assert!(before.is_none(), "this path is taken: {path}");
        path
    }

    /// The variable with this full name; panics if nothing, or something else, has it.
    pub(super) fn variable(&self, path: &str) -> Index {
        match self.objects.get(path) {
            Some(Object::Var(variable)) => variable.0,
            Some(other) => panic!("`{path}` is no variable but a {other:?}"),
            None => panic!("there is no variable at {path}"),
        }
    }

    /// Enters a namespace.
    pub(super) fn enter(&mut self, name: String) {
        self.define(&name, Object::Namespace);
        self.namespaces.push(name);
    }

    /// Leaves the namespace entered last.
    pub(super) fn leave(&mut self) {
        assert!(self.namespaces.pop().is_some(), "there is no namespace to leave");
    }
}
