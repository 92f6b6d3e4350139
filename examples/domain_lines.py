#!/usr/bin/env python3
"""A domain in another language: intervals of whole numbers without bounds on their size.

    assay run domains --target command@$PWD/examples/domain_lines.py --budget 10s

It reads lines and answers some of them; crates/lattice/src/lines.rs has the protocol.
"""

import sys
from math import inf

elements = {}  # number -> None (no point) or a list of (low, high)


def value(ranges, coefficients, constant):
    low = high = constant
    for (l, h), c in zip(ranges, coefficients):
        if c:
            low += c * (l if c > 0 else h)
            high += c * (h if c > 0 else l)
    return low, high


def tidy(ranges):
    return None if any(l > h for l, h in ranges) else ranges


def guard(ranges, relation, sum_):
    *coefficients, constant = sum_
    equal = relation == "="
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
        l, h = refined[v]
        refined[v] = (max(l, bounds[0]), min(h, bounds[1]))
    return tidy(refined)


def make(how, args):
    if how == "top":
        return [(-inf, inf)] * int(args[0])
    if how == "bottom":
        return None
    x = elements[int(args[0])]
    if how in ("copy", "close"):
        return x
    if how in ("join", "meet", "widen", "narrow"):
        y = elements[int(args[1])]
        if how in ("meet", "narrow"):
            if x is None or y is None:
                return None
            if how == "meet":
                return tidy([(max(a, c), min(b, d)) for (a, b), (c, d) in zip(x, y)])
            pairs = zip(x, y)
            return tidy([(c if a == -inf else a, d if b == inf else b) for (a, b), (c, d) in pairs])
        if x is None or y is None:
            return y if x is None else x
        if how == "join":
            return [(min(a, c), max(b, d)) for (a, b), (c, d) in zip(x, y)]
        return [(a if c >= a else -inf, b if d <= b else inf) for (a, b), (c, d) in zip(x, y)]
    if x is None:
        return None
    if how == "guard":
        return guard(x, args[1], [int(n) for n in args[2:]])
    v = int(args[1])
    new = (-inf, inf)
    if how == "assign":
        *coefficients, constant = [int(n) for n in args[2:]]
        new = value(x, coefficients, constant)
    return x[:v] + [new] + x[v + 1 :]


def leq(x, y):
    if x is None or y is None:
        return x is None
    return all(a >= c and b <= d for (a, b), (c, d) in zip(x, y))


def answer(question, numbers):
    x, *rest = (elements[n] for n in numbers)
    if question == "leq":
        return leq(x, rest[0])
    if question == "eq":
        return x == rest[0]
    if question == "is_bottom":
        return x is None
    return x is not None and all(r == (-inf, inf) for r in x)


def main():
    for line in sys.stdin:
        word, *args = line.split()
        if word == "hello":
            print("domain python-intervals intervals narrowing", flush=True)
        elif word == "new":
            elements[int(args[0])] = make(args[1], args[2:])
        elif word == "drop":
            del elements[int(args[0])]
        elif word == "show":
            print(elements[int(args[0])], flush=True)
        else:
            print("yes" if answer(word, [int(n) for n in args]) else "no", flush=True)


main()
