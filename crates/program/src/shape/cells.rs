//! A maze of functions: each cell calls its neighbors, the constraints guard the path to the exit, and
//! the last cell calls the error.

use super::{DEEPEST, Frame, depth, error, nested};
use crate::c::{Binary, Block, Expr, Global, Name, Scalar, Stmt};
use crate::maze::Maze;
use crate::shape::MazePlan;

/// The step counter that bounds walks in mazes with cycles.
const FUEL: &str = "fuel";

/// Number of steps allowed in addition to the length of the path to the exit.
const DETOUR: usize = 4;

/// Maximum number of steps of a constraint that guards a dead end, and of such dead ends.
const LONGEST_GUARD: usize = 12;
const MOST_GUARDS: usize = 4;

/// The mazes of a program; the error is behind the exit of the last.
pub(super) fn mazes(frame: &mut Frame<'_>, plan: MazePlan) -> Block {
    let chain = plan.chain.max(1);
    if plan.cycles > 0 {
        frame.unit.globals.push(Global { ty: Scalar::UInt.into(), name: FUEL.into() });
    }
    let mut pieces = std::mem::take(&mut frame.pieces);
    let mut beyond = vec![error()];
    for number in (0..chain).rev() {
        frame.pieces = pieces.split_off(pieces.len() - pieces.len() / (number + 1));
        let args = if number == 0 { frame.main_args() } else { frame.args() };
        beyond = maze(frame, plan, number, beyond, args);
    }
    beyond
}

/// One maze of the chain, with what is behind its exit; gives what enters it.
fn maze(
    frame: &mut Frame<'_>,
    plan: MazePlan,
    number: usize,
    beyond: Block,
    args: Vec<Expr>,
) -> Block {
    let MazePlan { algorithm, width, height, cycles, .. } = plan;
    let maze = Maze::new(algorithm, width, height, frame.draw);
    let mut last = maze.len() - 1;
    if plan.random_exit && last > 0 {
        last = 1 + frame.draw.below(last);
    }
    let path = maze.path_to(last);
    if maze.len() == 1 && plan.chain <= 1 {
        // No cell counts steps.
        frame.unit.globals.retain(|global| &*global.name != FUEL);
        return super::plain::straight(frame);
    }
    let first = number * maze.len();
    let parents = maze.parents();
    let mut on_cell: Vec<Vec<usize>> = vec![Vec::new(); maze.len()];
    for piece in 0..frame.pieces.len() {
        let cell = path[frame.draw.below(path.len())];
        on_cell[cell].push(piece);
    }
    let small = |piece: &&super::Piece| piece.steps.len() <= LONGEST_GUARD;
    let spare: Vec<super::Piece> =
        frame.pieces.iter().filter(small).take(MOST_GUARDS).cloned().collect();
    let guards: Vec<Name> = spare
        .into_iter()
        .map(|piece| {
            let number = frame.unit.functions.len();
            frame.check(number, piece)
        })
        .collect();
    let mut pieces: Vec<Option<super::Piece>> =
        std::mem::take(&mut frame.pieces).into_iter().map(Some).collect();
    let mut back = false;
    for cell in 0..maze.len() {
        let after = path.iter().position(|&on| on == cell).map(|at| path.get(at + 1).copied());
        let mut others: Vec<usize> = maze
            .neighbours(cell)
            .iter()
            .copied()
            .filter(|&next| next != parents[cell] && after != Some(Some(next)))
            .collect();
        if cell != 0 && (frame.draw.below(100) as u32) < cycles {
            others.push(parents[cell]);
            back = true;
        }
        others.iter_mut().for_each(|cell| *cell += first);
        let own: Vec<super::Piece> =
            on_cell[cell].iter().filter_map(|&piece| pieces[piece].take()).collect();
        let astray = detours(frame, &others, &guards);
        let body = match after {
            Some(next) => {
                let on = match next {
                    Some(next) => go(frame, first + next),
                    None => beyond.clone(),
                };
                on_the_way(frame, plan.comparisons, on, astray, own)
            }
            None => aside(frame, plan.comparisons, astray),
        };
        let body = if cycles > 0 { fuelled(body) } else { body };
        frame.function(cell_name(first + cell), None, body);
    }
    let mut start = Vec::new();
    if cycles > 0 {
        let steps = path.len() + if back { DETOUR } else { 0 };
        let steps = Expr::number(steps as i128, Scalar::UInt);
        start.push(Stmt::Assign(Expr::Var(FUEL.into()), steps));
    }
    start.push(Stmt::Call(cell_name(first), args));
    start
}

fn cell_name(cell: usize) -> Name {
    format!("func_{cell}").into()
}

fn go(frame: &Frame<'_>, cell: usize) -> Block {
    vec![Stmt::Call(cell_name(cell), frame.args())]
}

/// The body, which returns when no steps are left.
fn fuelled(mut body: Block) -> Block {
    let fuel = || Expr::Var(FUEL.into());
    let number = |value: i128| Expr::number(value, Scalar::UInt);
    let empty = Expr::binary(Binary::Eq, fuel(), number(0));
    let less = Expr::binary(Binary::Sub, fuel(), number(1));
    body.splice(
        0..0,
        [Stmt::If(empty, vec![Stmt::Return(None)], Vec::new()), Stmt::Assign(fuel(), less)],
    );
    body
}

/// A choice among blocks by an input; the path to the exit takes the first.
fn divided(frame: &mut Frame<'_>, comparisons: u32, mut blocks: Vec<Block>) -> Block {
    let Some(last) = blocks.pop() else { return Vec::new() };
    if blocks.is_empty() {
        return last;
    }
    let ways = blocks.len() + 1;
    let compares = comparisons > 0 && (frame.draw.below(100) as u32) < comparisons;
    // Different constants, or the upper ends of ranges.
    let offset = if compares { frame.draw.below(256) } else { 0 };
    let bound = |at: usize| match compares {
        true => ((offset + 256 * at / ways) % 256) as i128,
        false => (256 * (at + 1) / ways) as i128,
    };
    let op = if compares { Binary::Eq } else { Binary::Lt };
    let name: Name = "c".into();
    let input = frame.turn(Scalar::UChar, if compares { bound(0) } else { 0 });
    let mut chain = last;
    for (at, block) in blocks.into_iter().enumerate().rev() {
        let chosen = Expr::binary(op, Expr::var(&name), Expr::number(bound(at), Scalar::Int));
        chain = vec![Stmt::If(chosen, block, chain)];
    }
    let mut whole = vec![Stmt::Declare(Scalar::UChar.into(), name, Some(input))];
    whole.append(&mut chain);
    whole
}

/// Branches to dead ends: open, or guarded by a constraint that must hold, or must fail.
fn detours(frame: &mut Frame<'_>, others: &[usize], guards: &[Name]) -> Vec<Block> {
    let mut blocks = Vec::with_capacity(others.len());
    for &cell in others {
        let way = go(frame, cell);
        blocks.push(match (frame.draw.below(3), frame.draw.of(guards)) {
            (0, Some(guard)) => vec![Stmt::If(frame.passes(guard, frame.args()), way, Vec::new())],
            (1, Some(guard)) => {
                let failed = frame.passes(guard, frame.args()).negated();
                vec![Stmt::If(failed, way, Vec::new())]
            }
            _ => way,
        });
    }
    blocks
}

/// A cell off the path to the exit: it leads to other such cells, or nowhere.
fn aside(frame: &mut Frame<'_>, comparisons: u32, mut blocks: Vec<Block>) -> Block {
    if blocks.is_empty() {
        return Vec::new();
    }
    blocks.push(vec![Stmt::Return(None)]);
    divided(frame, comparisons, blocks)
}

/// A cell on the path to the exit: its constraints must hold to continue.
fn on_the_way(
    frame: &mut Frame<'_>,
    comparisons: u32,
    on: Block,
    aside: Vec<Block>,
    pieces: Vec<super::Piece>,
) -> Block {
    if pieces.is_empty() {
        let mut blocks = vec![on];
        blocks.extend(aside);
        return divided(frame, comparisons, blocks);
    }
    let deep: usize = pieces.iter().map(depth).sum();
    if deep > DEEPEST || frame.draw.one_in(3) {
        return checked(frame, comparisons, on, aside, pieces);
    }
    let flag: Name = "flag".into();
    let set = vec![Stmt::Assign(Expr::var(&flag), Expr::truth(true))];
    let constraints = pieces.into_iter().rev().fold(set, |inner, piece| nested(piece, inner));
    let zero = Some(Expr::truth(false));
    let mut block = vec![Stmt::Declare(Scalar::Int.into(), Name::clone(&flag), zero)];
    block.extend(constraints);
    let passed = Expr::binary(Binary::Eq, Expr::var(&flag), Expr::truth(true));
    // Otherwise the walk enters a dead end: by choice, or because a constraint fails.
    let astray = divided(frame, comparisons, aside);
    block.push(Stmt::If(passed, on, astray));
    block
}

/// The same, with a function that checks the constraints.
fn checked(
    frame: &mut Frame<'_>,
    comparisons: u32,
    on: Block,
    aside: Vec<Block>,
    pieces: Vec<super::Piece>,
) -> Block {
    let mut passed = Expr::truth(true);
    for piece in pieces {
        let number = frame.unit.functions.len();
        let check = frame.check(number, piece);
        passed = passed.both(frame.passes(&check, frame.args()));
    }
    let astray = divided(frame, comparisons, aside);
    vec![Stmt::If(passed, on, astray)]
}
