//! A strict reader of the pages that are written here: it fails on anything a browser would have to guess about.

use std::collections::BTreeMap;

/// An element with its own and its descendants' text.
#[derive(Debug, Default)]
pub(super) struct Element {
    pub(super) name: String,
    pub(super) attributes: BTreeMap<String, String>,
    pub(super) text: String,
    /// Names of the elements around it, outermost first.
    pub(super) within: Vec<String>,
}

/// Reads a page; elements come in order of their end. Panics where it is not well-formed.
pub(super) fn read(page: &str) -> Vec<Element> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>").expect("a doctype comes first");
    let mut open: Vec<Element> = Vec::new();
    let mut done = Vec::new();
    while !rest.is_empty() {
        let raw = open.last().is_some_and(|element| matches!(element.name.as_str(), "script" | "style"));
        let end = if raw { rest.find("</").expect("raw text ends") } else { rest.find('<').unwrap_or(rest.len()) };
        let text = if raw { rest[..end].to_owned() } else { unescape(&rest[..end]) };
        for element in &mut open {
            element.text.push_str(&text);
        }
        rest = &rest[end..];
        if rest.is_empty() {
            break;
        }
        let close = tag_end(rest);
        let tag = &rest[1..close];
        rest = &rest[close + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let element = open.pop().unwrap_or_else(|| panic!("</{name}> ends nothing"));
            assert_eq!(element.name, name, "elements overlap");
            done.push(element);
        } else {
            let mut element = start(tag);
            element.within = open.iter().map(|element| element.name.clone()).collect();
            if matches!(element.name.as_str(), "meta" | "br" | "hr" | "link" | "img" | "input") {
                done.push(element);
            } else {
                open.push(element);
            }
        }
    }
    assert!(open.is_empty(), "elements stay open: {open:?}");
    done
}

fn tag_end(text: &str) -> usize {
    let mut quoted = false;
    let end = text.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == '>' && !quoted
    });
    end.expect("a tag ends").0
}

fn start(tag: &str) -> Element {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()), "<{tag}> is no tag");
    assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "<{tag}> is no tag");
    let mut attributes = BTreeMap::new();
    while !rest.is_empty() {
        let (attribute, value) = rest.split_once("=\"").expect("every attribute has a quoted value");
        let (value, after) = value.split_once('"').expect("a value ends");
        assert!(attribute.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "{attribute:?} is no attribute");
        assert!(attributes.insert(attribute.to_owned(), unescape(value)).is_none(), "{attribute} stands twice");
        rest = after.trim_start();
    }
    Element { name: name.to_owned(), attributes, ..Element::default() }
}

fn unescape(text: &str) -> String {
    let mut plain = String::new();
    let mut parts = text.split('&');
    plain.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (entity, after) = part.split_once(';').expect("an entity ends");
        let known = [("amp", "&"), ("lt", "<"), ("gt", ">"), ("quot", "\"")];
        plain.push_str(known.iter().find(|(name, _)| *name == entity).expect("a known entity").1);
        plain.push_str(after);
    }
    plain
}
