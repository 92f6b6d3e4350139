#!/usr/bin/env python3
"""Intervals of integers with a bug to switch on: an example of a domain that a tester must catch.

    assay run domains --target command@$PWD/tests/examples/toy.py --budget 10s

BUG is the name of one of the bugs, or empty; `benches/experiments/domains ASSAY toys` plants them all.
"""

import sys
from math import inf

BUG = ""

elements = {}  # number -> None (no point) or a list of (low, high)


def wrapped(n):
    return n if n in (inf, -inf) else (n + 2**63) % 2**64 - 2**63


def value(ranges, coefficients, constant):
    if BUG == "assign-constant" and any(coefficients):
        constant = 0
    low = high = constant
    for (l, h), c in zip(ranges, coefficients):
        if c:
            swap = c < 0 and BUG != "assign-sign"
            low += c * (h if swap else l)
            high += c * (l if swap else h)
    return low, high


def tidy(ranges):
    if BUG == "meet-empty":
        return ranges
    return None if any(l > h for l, h in ranges) else ranges


def guard(ranges, relation, sum_):
    *coefficients, constant = sum_
    equal = relation == "=" and BUG != "guard-equation"
    if BUG == "guard-strict" and not equal:
        constant -= 1
    low, high = value(ranges, coefficients, constant)
    if high < 0 or equal and low > 0:
        return None
    refined = list(ranges)
    for v, c in enumerate(coefficients):
        if not c:
            continue
        rest = coefficients[:v] + [0] + coefficients[v + 1 :]
        low, high = value(ranges, rest, constant)
        # c * x >= -high, and for an equation c * x <= -low
        bounds = [-inf, inf]
        if high != inf:
            bounds[c < 0] = -(high // c) if c > 0 else (-high) // c
        if equal and low != -inf:
            bounds[c > 0] = (-low) // c if c > 0 else -(low // c)
        if BUG == "guard-wraps":
            bounds = [wrapped(bound) for bound in bounds]
        l, h = refined[v]
        refined[v] = (max(l, bounds[0]), min(h, bounds[1]))
    return tidy(refined)


def join(x, y):
    if BUG == "join-first":
        return x
    if x is None or y is None:
        if BUG == "join-bottom":
            return None
        return y if x is None else x
    lower = max if BUG == "join-lower" else min
    joined = [(lower(a, c), max(b, d)) for (a, b), (c, d) in zip(x, y)]
    if BUG == "join-opposite":
        joined = [a if a[1] < 0 < b[0] else both for both, a, b in zip(joined, x, y)]
    if BUG == "join-mutates":
        x[:] = joined
    return joined


def meet(x, y):
    if BUG == "meet-first":
        return x
    if x is None or y is None:
        return None
    if BUG == "meet-touch" and any(a[1] == b[0] for a, b in zip(x, y)):
        return None
    return tidy([(max(a, c), min(b, d)) for (a, b), (c, d) in zip(x, y)])


def widen(x, y):
    if BUG == "widen-left":
        return x
    if x is None or y is None:
        return y if x is None else x
    if BUG == "widen-never":
        return join(x, y)
    if BUG == "widen-top":
        return [(-inf, inf)] * len(x)
    return [(a if c >= a else -inf, b if d <= b else inf) for (a, b), (c, d) in zip(x, y)]


def make(how, args):
    if how == "top":
        return [(-inf, inf)] * int(args[0])
    if how == "bottom":
        return None
    x = elements[int(args[0])]
    if how == "copy":
        return None if x is None else list(x)
    if how in ("join", "meet", "widen"):
        return {"join": join, "meet": meet, "widen": widen}[how](x, elements[int(args[1])])
    if x is None:
        return None
    if how == "guard":
        return guard(x, args[1], [int(n) for n in args[2:]])
    v = int(args[1])
    new = (-inf, inf)
    if how == "assign":
        *coefficients, constant = [int(n) for n in args[2:]]
        new = value(x, coefficients, constant)
        if BUG == "assign-wraps":
            new = tuple(map(wrapped, new))
        if BUG == "assign-saturates":
            new = tuple(n if n in (inf, -inf) else min(max(n, -(2**63)), 2**63 - 1) for n in new)
    elif BUG == "project-nothing":
        return x
    elif BUG == "project-all":
        return [new] * len(x)
    return tidy(x[:v] + [new] + x[v + 1 :])


def leq(x, y):
    if x is None or y is None:
        return x is None and BUG != "order-bottom"
    return all(a >= c and (b <= d or BUG == "order-upper") for (a, b), (c, d) in zip(x, y))


def answer(question, numbers):
    x, *rest = (elements[n] for n in numbers)
    if question == "leq":
        return leq(x, rest[0])
    if question == "eq":
        if BUG == "equality-lower" and x and rest[0]:
            return [low for low, _ in x] == [low for low, _ in rest[0]]
        return x == rest[0]
    if question == "is_bottom":
        return x is None
    return x is not None and all(r == (-inf, inf) for r in x) and BUG != "top-not-top"


def main():
    for line in sys.stdin:
        word, *args = line.split()
        if word == "hello":
            print("domain toy intervals", flush=True)
        elif word == "new":
            elements[int(args[0])] = make(args[1], args[2:])
        elif word == "drop":
            del elements[int(args[0])]
        elif word == "show":
            print(elements[int(args[0])], flush=True)
        else:
            print("yes" if answer(word, [int(n) for n in args]) else "no", flush=True)


main()
