//! Reading the lists of prerequisites that compilers write for make (`-MD`).

use std::path::PathBuf;

/// The prerequisites of a rule: everything behind its first colon. Backslashes escape spaces and ends of lines.
pub(crate) fn prerequisites(text: &str) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut path = String::new();
    let mut characters = text.split_once(": ").map_or("", |(_, rest)| rest).chars().peekable();
    while let Some(character) = characters.next() {
        match (character, characters.peek()) {
            ('\\', Some(' ' | '#' | '\\')) | ('$', Some('$')) => path.extend(characters.next()),
            ('\\', Some('\n')) | (' ' | '\n' | '\t' | '\r', _) => {
                if !path.is_empty() {
                    paths.push(PathBuf::from(std::mem::take(&mut path)));
                }
            }
            _ => path.push(character),
        }
    }
    if !path.is_empty() {
        paths.push(path.into());
    }
    paths
}
