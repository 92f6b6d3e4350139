//! Acyclic mazes on a grid of any size: a spanning tree of the cells, by one of five algorithms.

use assay_mutate::Draw;

/// How a maze is generated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Depth-first search with backtracking.
    Backtracking,
    /// Kruskal: walls in random order; a wall is removed if it separates two regions.
    Kruskal,
    /// Prim: a region that grows by a random neighbor.
    Prim,
    /// Wilson: loop-erased random walks; every maze is equally likely.
    Wilson,
    /// Sidewinder: row by row, each run of cells open to the row above at one cell.
    Sidewinder,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 5] = [
        Algorithm::Backtracking,
        Algorithm::Kruskal,
        Algorithm::Prim,
        Algorithm::Wilson,
        Algorithm::Sidewinder,
    ];

    /// Its name in flags and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Backtracking => "backtracking",
            Algorithm::Kruskal => "kruskal",
            Algorithm::Prim => "prim",
            Algorithm::Wilson => "wilson",
            Algorithm::Sidewinder => "sidewinder",
        }
    }

    /// The algorithm of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Algorithm> {
        Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// A maze: cells, numbered row by row, and the passages between them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Maze {
    neighbours: Vec<Vec<usize>>,
}

/// A grid while passages are added.
struct Grid<'d> {
    width: usize,
    height: usize,
    draw: &'d mut Draw,
    neighbours: Vec<Vec<usize>>,
}

impl Maze {
    /// A maze of at least one cell.
    #[must_use]
    pub fn new(algorithm: Algorithm, width: usize, height: usize, draw: &mut Draw) -> Maze {
        let (width, height) = (width.max(1), height.max(1));
        let mut grid = Grid { width, height, draw, neighbours: vec![Vec::new(); width * height] };
        match algorithm {
            Algorithm::Backtracking => grid.backtrack(),
            Algorithm::Kruskal => grid.kruskal(),
            Algorithm::Prim => grid.prim(),
            Algorithm::Wilson => grid.wilson(),
            Algorithm::Sidewinder => grid.sidewinder(),
        }
        Maze { neighbours: grid.neighbours }
    }

    /// Number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.neighbours.len()
    }

    /// Whether it has no cell, which never happens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.neighbours.is_empty()
    }

    /// The neighbors that a cell is connected to.
    #[must_use]
    pub fn neighbours(&self, cell: usize) -> &[usize] {
        &self.neighbours[cell]
    }

    /// The predecessor of each cell on the path from the first; the first is its own.
    #[must_use]
    pub fn parents(&self) -> Vec<usize> {
        let mut parents = vec![usize::MAX; self.len()];
        parents[0] = 0;
        let mut work = vec![0];
        while let Some(cell) = work.pop() {
            for &next in &self.neighbours[cell] {
                if parents[next] == usize::MAX {
                    parents[next] = cell;
                    work.push(next);
                }
            }
        }
        parents
    }

    /// The path from the first cell to the last.
    #[must_use]
    pub fn path(&self) -> Vec<usize> {
        self.path_to(self.len() - 1)
    }

    /// The path from the first cell to this one.
    #[must_use]
    pub fn path_to(&self, exit: usize) -> Vec<usize> {
        let parents = self.parents();
        let mut path = vec![exit];
        while let Some(&cell) = path.last().filter(|&&cell| cell != 0) {
            path.push(parents[cell]);
        }
        path.reverse();
        path
    }
}

impl Grid<'_> {
    fn around(&self, cell: usize) -> Vec<usize> {
        let (x, y) = (cell % self.width, cell / self.width);
        let mut around = Vec::with_capacity(4);
        if x > 0 {
            around.push(cell - 1);
        }
        if x + 1 < self.width {
            around.push(cell + 1);
        }
        if y > 0 {
            around.push(cell - self.width);
        }
        if y + 1 < self.height {
            around.push(cell + self.width);
        }
        around
    }

    fn open(&mut self, a: usize, b: usize) {
        self.neighbours[a].push(b);
        self.neighbours[b].push(a);
    }

    fn backtrack(&mut self) {
        let mut seen = vec![false; self.neighbours.len()];
        seen[0] = true;
        let mut way = vec![0];
        while let Some(&cell) = way.last() {
            let new: Vec<usize> = self.around(cell).into_iter().filter(|&n| !seen[n]).collect();
            match self.draw.of(&new).copied() {
                Some(next) => {
                    seen[next] = true;
                    self.open(cell, next);
                    way.push(next);
                }
                None => {
                    way.pop();
                }
            }
        }
    }

    fn kruskal(&mut self) {
        let cells = self.neighbours.len();
        let mut walls: Vec<(usize, usize)> = (0..cells)
            .flat_map(|cell| self.around(cell).into_iter().map(move |next| (cell, next)))
            .filter(|(a, b)| a < b)
            .collect();
        for last in (1..walls.len()).rev() {
            let other = self.draw.below(last + 1);
            walls.swap(last, other);
        }
        let mut regions = crate::union::Union::new(cells);
        for (a, b) in walls {
            if regions.join(a, b) {
                self.open(a, b);
            }
        }
    }

    fn prim(&mut self) {
        let mut seen = vec![false; self.neighbours.len()];
        seen[0] = true;
        let mut border: Vec<(usize, usize)> =
            self.around(0).into_iter().map(|next| (0, next)).collect();
        while !border.is_empty() {
            let chosen = self.draw.below(border.len());
            let (from, to) = border.swap_remove(chosen);
            if seen[to] {
                continue;
            }
            seen[to] = true;
            self.open(from, to);
            border.extend(self.around(to).into_iter().map(|next| (to, next)));
        }
    }

    fn wilson(&mut self) {
        let cells = self.neighbours.len();
        let mut inside = vec![false; cells];
        inside[cells - 1] = true;
        for start in 0..cells {
            // The last direction in which the walk left each cell, which erases loops.
            let mut left = vec![usize::MAX; cells];
            let mut cell = start;
            while !inside[cell] {
                let around = self.around(cell);
                let next = *self.draw.of(&around).expect("a cell outside has neighbours");
                left[cell] = next;
                cell = next;
            }
            let mut cell = start;
            while !inside[cell] {
                inside[cell] = true;
                self.open(cell, left[cell]);
                cell = left[cell];
            }
        }
    }

    fn sidewinder(&mut self) {
        for y in 0..self.height {
            let mut run = 0;
            for x in 0..self.width {
                let cell = y * self.width + x;
                let last = x + 1 == self.width;
                let close = y > 0 && (last || self.draw.one_in(2));
                if close {
                    let up = y * self.width + run + self.draw.below(x + 1 - run);
                    self.open(up, up - self.width);
                    run = x + 1;
                } else if !last {
                    self.open(cell, cell + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_maze_is_a_tree_with_a_way_out() {
        for algorithm in Algorithm::ALL {
            assert_eq!(Algorithm::by_name(algorithm.name()), Some(algorithm));
            for (width, height) in [(1, 1), (1, 5), (4, 1), (2, 2), (5, 5), (7, 4)] {
                for seed in 0..20 {
                    let maze = Maze::new(algorithm, width, height, &mut Draw::new(&[seed]));
                    let cells = width * height;
                    let passages: usize = (0..cells).map(|cell| maze.neighbours(cell).len()).sum();
                    assert_eq!((maze.len(), passages), (cells, 2 * (cells - 1)), "{algorithm:?}");
                    assert!(maze.parents().iter().all(|&parent| parent < cells), "{algorithm:?}");
                    let path = maze.path();
                    assert_eq!((path[0], path[path.len() - 1]), (0, cells - 1));
                    for step in path.windows(2) {
                        assert!(maze.neighbours(step[0]).contains(&step[1]));
                    }
                }
            }
        }
    }

    #[test]
    fn algorithms_and_seeds_give_different_mazes() {
        let mut seen = Vec::new();
        for algorithm in Algorithm::ALL {
            for seed in 0..3 {
                let maze = Maze::new(algorithm, 5, 5, &mut Draw::new(&[seed]));
                assert!(!seen.contains(&maze), "{algorithm:?} {seed}");
                seen.push(maze);
            }
        }
    }
}
