//! The hot loop: applications of known functions to known symbols and short literals, and `let`, which
//! make up most of a text. Anything that needs more care, or is wrong, is left to the general
//! reader.

use super::environment::Word;
use super::terms::{Frame, Kind};
use super::{Binding, Reader};
use crate::lexer::WordLiteral;
use crate::source::Read;
use assay_term::{FuncId, TermId};

impl Reader<'_, '_> {
    /// Reads as long as tokens are common; returns the term if it ends there. Stops before the first token
    /// that is not.
    pub(super) fn common_tokens(&mut self, floor: usize) -> Read<Option<TermId>> {
        let bytes = self.lexer.source().as_bytes();
        let mut pos = self.lexer.position();
        loop {
            // Whether a space separates two tokens is hard to predict, so this is branch-free.
            pos += usize::from(bytes.get(pos) == Some(&b' '));
            let Some(&byte) = bytes.get(pos) else { break };
            let (term, end) = match byte {
                b' ' | b'\n' => {
                    pos += 1;
                    continue;
                }
                b')' => {
                    if self.frames.len() == floor {
                        break;
                    }
                    if let Some(term) = self.known_close() {
                        (term, pos + 1)
                    } else {
                        self.lexer.skip_known(pos, pos + 1);
                        let Some(term) = self.close()? else {
                            pos = self.lexer.position();
                            continue;
                        };
                        (term, self.lexer.position())
                    }
                }
                b'(' => match self.open_at(pos)? {
                    Some((Some(term), end)) => (term, end),
                    Some((None, end)) => {
                        pos = end;
                        continue;
                    }
                    None => break,
                },
                b':' | b'"' | b';' => break,
                b'#' | b'0'..=b'9' => {
                    let Some((literal, end)) = self.lexer.word_literal(pos) else { break };
                    (self.word_term(literal), end)
                }
                _ => {
                    let known = match byte {
                        b'|' => self.lexer.known_bars(&mut self.store.symbols, pos),
                        _ => self.lexer.known_word(&mut self.store.symbols, pos),
                    };
                    let Some((symbol, end)) = known else { break };
                    let (Binding::Const(term) | Binding::Local(term)) = self.env.get(symbol) else {
                        break;
                    };
                    (term, end)
                }
            };
            pos = end;
            if self.frames.len() == floor {
                self.lexer.rewind(pos);
                return Ok(Some(term));
            }
            self.operands.push(term);
        }
        self.lexer.rewind(pos);
        Ok(None)
    }

    /// Reads the opening parenthesis at `pos` and what it opens, or the literal that starts with it;
    /// returns where to continue.
    #[inline(always)]
    fn open_at(&mut self, pos: usize) -> Read<Option<(Option<TermId>, usize)>> {
        if let Some(Frame { kind: Kind::Match, .. }) = self.frames.last() {
            return Ok(None);
        }
        let next = self.lexer.source().as_bytes().get(pos + 1);
        let known = match next {
            Some(b'_') => {
                let literal = self.lexer.indexed_literal(pos);
                return Ok(literal.map(|(literal, end)| (Some(self.word_term(literal)), end)));
            }
            Some(b'(') => {
                let Some((func, end)) = self.known_indexed_head(pos + 1) else { return Ok(None) };
                self.push(Kind::App(func, None), pos);
                return Ok(Some((None, end)));
            }
            Some(b'|') => self.lexer.known_bars(&mut self.store.symbols, pos + 1),
            _ => self.lexer.known_word(&mut self.store.symbols, pos + 1),
        };
        let Some((symbol, end)) = known else { return Ok(None) };
        match self.env.get(symbol) {
            Binding::Func(func) => {
                self.push(Kind::App(func, None), pos);
                Ok(Some((None, end)))
            }
            // In bars it would be a name.
            Binding::Word(Word::Let) if next == Some(&b'l') => {
                self.lexer.rewind(end);
                self.open_let()?;
                Ok(Some((None, self.lexer.position())))
            }
            _ => Ok(None),
        }
    }

    /// The application that a closing parenthesis completes, if it was built before.
    #[inline(always)]
    fn known_close(&mut self) -> Option<TermId> {
        let &Frame { kind: Kind::App(func, None), base, .. } = self.frames.last()? else {
            return None;
        };
        let base = base as usize;
        let term = self.store.known_app(func, &self.operands[base..])?;
        self.operands.truncate(base);
        self.frames.pop();
        Some(term)
    }

    /// The operator `(_ f i …)` whose parenthesis is at `start`, and its end.
    #[inline]
    fn known_indexed_head(&self, start: usize) -> Option<(FuncId, usize)> {
        let (text, end) = self.lexer.short_index(start)?;
        Some((self.short_ops.get(text)?, end))
    }

    /// The term of a short literal.
    #[inline]
    pub(super) fn word_term(&mut self, literal: WordLiteral) -> TermId {
        match literal {
            WordLiteral::Numeral(value) => self.store.word_int(value),
            WordLiteral::BitVec { width, bits } => self.store.word_bit_vec(width, bits),
        }
    }
}
