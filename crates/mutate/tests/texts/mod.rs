//! Texts that differ in nothing but names.

/// The text with the names of `let` in the order in which they come: a store that read some takes
/// others.
pub(crate) fn renumbered(text: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    let mut new = String::new();
    let mut pieces = text.split('$');
    new.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        let at = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        new.push_str(&format!("${at}{rest}"));
    }
    new
}
