//! Union-find.

/// A partition of the numbers below a bound.
pub(crate) struct Union(Vec<usize>);

impl Union {
    pub(crate) fn new(count: usize) -> Union {
        Union((0..count).collect())
    }

    /// The representative of the part that contains a number.
    pub(crate) fn of(&mut self, mut item: usize) -> usize {
        while self.0[item] != item {
            self.0[item] = self.0[self.0[item]];
            item = self.0[item];
        }
        item
    }

    /// Joins two parts; false if they are already the same.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a] = b;
        a != b
    }
}
