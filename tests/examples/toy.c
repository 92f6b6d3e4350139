/* Intervals of integers with a bug to switch on: an example of a domain that a tester must catch.
 *
 *     cc -shared -fPIC -I crates/plugin/include -DBUG=JOIN_FIRST -o toy.so tests/examples/toy.c
 *     assay run domains --target plugin@$PWD/toy.so --budget 10s
 *
 * `benches/experiments/domains ASSAY toys` plants all bugs, one at a time.
 */
#include "assay_domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum bug {
    NONE, ASSIGN_WRAPS, ASSIGN_SATURATES, ASSIGN_SIGN, ASSIGN_CONSTANT, GUARD_WRAPS, GUARD_STRICT,
    GUARD_EQUATION, JOIN_FIRST, JOIN_BOTTOM, JOIN_LOWER, JOIN_OPPOSITE, JOIN_MUTATES, MEET_FIRST,
    MEET_EMPTY, MEET_TOUCH, WIDEN_LEFT, WIDEN_NEVER, WIDEN_TOP, PROJECT_NOTHING, PROJECT_ALL,
    ORDER_BOTTOM, ORDER_UPPER, EQUALITY_LOWER, TOP_NOT_TOP
};
#ifndef BUG
#define BUG NONE
#endif

typedef __int128 number;

/* Bounds between -LIMIT and LIMIT; those beyond are rounded outwards. */
#define LIMIT ((number)1 << 63)
#define INFINITE (LIMIT << 8)

struct range { number low, high; };

struct box {
    size_t dimensions;
    int empty;
    struct range of[];
};

static const struct range all = {-INFINITE, INFINITE};

static struct box *make(size_t dimensions, int empty) {
    struct box *x = malloc(sizeof *x + dimensions * sizeof(struct range));
    x->dimensions = dimensions;
    x->empty = empty;
    for (size_t v = 0; v < dimensions; v++) x->of[v] = all;
    return x;
}

static void *top(size_t dimensions) { return make(dimensions, 0); }
static void *bottom(size_t dimensions) { return make(dimensions, 1); }
static void drop(void *x) { free(x); }

static void *copy(const void *from) {
    const struct box *x = from;
    struct box *y = make(x->dimensions, x->empty);
    memcpy(y->of, x->of, x->dimensions * sizeof(struct range));
    return y;
}

static number least(number a, number b) { return a < b ? a : b; }
static number most(number a, number b) { return a > b ? a : b; }

static void *tidy(struct box *x) {
    for (size_t v = 0; v < x->dimensions && BUG != MEET_EMPTY; v++)
        if (x->of[v].low > x->of[v].high) x->empty = 1;
    return x;
}

static assay_truth leq(void *a, void *b) {
    struct box *x = a, *y = b;
    if (x->empty || y->empty) return x->empty && BUG != ORDER_BOTTOM;
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v].low < y->of[v].low || (x->of[v].high > y->of[v].high && BUG != ORDER_UPPER))
            return 0;
    return 1;
}

static assay_truth eq(void *a, void *b) {
    struct box *x = a, *y = b;
    if (x->empty || y->empty) return x->empty == y->empty;
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v].low != y->of[v].low ||
            (x->of[v].high != y->of[v].high && BUG != EQUALITY_LOWER))
            return 0;
    return 1;
}

static assay_truth is_bottom(void *x) { return ((struct box *)x)->empty; }

static assay_truth is_top(void *a) {
    struct box *x = a;
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v].low != all.low || x->of[v].high != all.high) return 0;
    return !x->empty && BUG != TOP_NOT_TOP;
}

static void *join(void *a, void *b) {
    struct box *x = a, *y = b;
    if (BUG == JOIN_FIRST) return copy(x);
    if ((x->empty || y->empty) && BUG == JOIN_BOTTOM) return bottom(x->dimensions);
    if (x->empty || y->empty) return copy(x->empty ? y : x);
    struct box *z = copy(x);
    for (size_t v = 0; v < z->dimensions; v++) {
        struct range p = x->of[v], q = y->of[v];
        if (BUG == JOIN_OPPOSITE && p.high < 0 && q.low > 0) continue;
        z->of[v].low = BUG == JOIN_LOWER ? most(p.low, q.low) : least(p.low, q.low);
        z->of[v].high = most(p.high, q.high);
    }
    if (BUG == JOIN_MUTATES) memcpy(x->of, z->of, z->dimensions * sizeof(struct range));
    return z;
}

static void *meet(void *a, void *b) {
    struct box *y = b, *z = copy(a);
    if (BUG == MEET_FIRST) return z;
    z->empty |= y->empty;
    for (size_t v = 0; v < z->dimensions; v++) {
        struct range p = z->of[v], q = y->of[v];
        if (BUG == MEET_TOUCH && p.high == q.low) z->empty = 1;
        z->of[v] = (struct range){most(p.low, q.low), least(p.high, q.high)};
    }
    return tidy(z);
}

static void *widen(void *a, void *b) {
    struct box *x = a, *y = b;
    if (BUG == WIDEN_LEFT) return copy(x);
    if (x->empty || y->empty) return copy(x->empty ? y : x);
    if (BUG == WIDEN_NEVER) return join(x, y);
    if (BUG == WIDEN_TOP) return top(x->dimensions);
    struct box *z = copy(x);
    for (size_t v = 0; v < z->dimensions; v++) {
        if (y->of[v].low < x->of[v].low) z->of[v].low = all.low;
        if (y->of[v].high > x->of[v].high) z->of[v].high = all.high;
    }
    return z;
}

/* Sums that do not fit are cut off on the side where they leave the numbers. */
static number plus(number a, number b) {
    number sum;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    number largest = (number)(~(unsigned __int128)0 >> 1);
    return a > 0 ? largest : -largest;
}

static struct range rounded(struct range r) {
    if (BUG == ASSIGN_WRAPS && r.low > -INFINITE && r.high < INFINITE)
        return (struct range){(int64_t)r.low, (int64_t)r.high};
    if (BUG == ASSIGN_SATURATES && r.low > -INFINITE && r.high < INFINITE)
        return (struct range){most(least(r.low, INT64_MAX), INT64_MIN),
                              most(least(r.high, INT64_MAX), INT64_MIN)};
    r.low = r.low < -LIMIT ? -INFINITE : least(r.low, LIMIT);
    r.high = r.high > LIMIT ? INFINITE : most(r.high, -LIMIT);
    return r;
}

/* The values of a sum; `infinite` has a bit for each side that has no bound. */
static struct range value(const struct box *x, const struct assay_sum *sum, size_t except, int *infinite) {
    struct range total = {sum->constant, sum->constant};
    *infinite = 0;
    for (size_t v = 0; v < x->dimensions; v++) {
        number c = sum->coefficients[v];
        if (c == 0 || v == except) continue;
        if (BUG == ASSIGN_CONSTANT && v == 0) total.low -= sum->constant, total.high -= sum->constant;
        struct range r = x->of[v];
        number low = c < 0 && BUG != ASSIGN_SIGN ? r.high : r.low;
        number high = c < 0 && BUG != ASSIGN_SIGN ? r.low : r.high;
        if (low == INFINITE || low == -INFINITE) *infinite |= 1;
        else total.low = plus(total.low, c * low);
        if (high == INFINITE || high == -INFINITE) *infinite |= 2;
        else total.high = plus(total.high, c * high);
    }
    return total;
}

static void *assign(void *a, size_t variable, const struct assay_sum *sum) {
    struct box *z = copy(a);
    int infinite;
    struct range r = value(z, sum, (size_t)-1, &infinite);
    if (infinite == 0) r = rounded(r);
    else {
        r = rounded((struct range){infinite & 1 ? -INFINITE : r.low, infinite & 2 ? INFINITE : r.high});
        if (infinite & 1) r.low = -INFINITE;
        if (infinite & 2) r.high = INFINITE;
    }
    z->of[variable] = r;
    return tidy(z);
}

static void *project(void *a, size_t variable) {
    struct box *z = copy(a);
    if (BUG == PROJECT_NOTHING) return z;
    for (size_t v = 0; v < z->dimensions; v++)
        if (v == variable || BUG == PROJECT_ALL) z->of[v] = all;
    return z;
}

/* The quotient, rounded down. */
static number quotient(number a, number b) {
    return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}

static void *guard(void *a, const struct assay_constraint *c) {
    struct box *x = a, *z = copy(a);
    struct assay_sum sum = c->sum;
    int equal = c->is_equation && BUG != GUARD_EQUATION, infinite;
    if (x->empty) return z;
    struct range r = value(x, &sum, (size_t)-1, &infinite);
    if (BUG == GUARD_STRICT && !equal) r.high -= 1;
    if ((!(infinite & 2) && r.high < 0) || (equal && !(infinite & 1) && r.low > 0)) z->empty = 1;
    for (size_t v = 0; v < z->dimensions && !z->empty; v++) {
        number k = sum.coefficients[v];
        if (k == 0) continue;
        r = value(x, &sum, v, &infinite);
        if (BUG == GUARD_STRICT && !equal) r.high -= 1;
        /* k * x >= -high, and for an equation k * x <= -low */
        struct range q = all;
        if (!(infinite & 2)) *(k > 0 ? &q.low : &q.high) = k > 0 ? -quotient(r.high, k) : quotient(-r.high, k);
        if (equal && !(infinite & 1)) *(k > 0 ? &q.high : &q.low) = k > 0 ? quotient(-r.low, k) : -quotient(r.low, k);
        if (BUG == GUARD_WRAPS) {
            if (q.low > -INFINITE) q.low = (int64_t)q.low;
            if (q.high < INFINITE) q.high = (int64_t)q.high;
        } else q = rounded(q);
        z->of[v] = (struct range){most(z->of[v].low, q.low), least(z->of[v].high, q.high)};
    }
    return tidy(z);
}

static void show(void *a, char *buffer, size_t size) {
    struct box *x = a;
    size_t used = snprintf(buffer, size, x->empty ? "bottom" : "");
    for (size_t v = 0; v < x->dimensions && !x->empty && used + 80 < size; v++) {
        struct range r = x->of[v];
        if (r.low > -INFINITE) used += snprintf(buffer + used, size - used, "x%zu >= %.0f ", v, (double)r.low);
        if (r.high < INFINITE) used += snprintf(buffer + used, size - used, "x%zu <= %.0f ", v, (double)r.high);
    }
}

const struct assay_domain *assay_domain(void) {
    static const struct assay_domain domain = {
        .version = ASSAY_DOMAIN_VERSION,
        .name = "toy",
        .shape = "intervals",
        .top = top, .bottom = bottom, .copy = copy, .drop = drop,
        .leq = leq, .eq = eq, .is_bottom = is_bottom, .is_top = is_top,
        .join = join, .meet = meet, .widen = widen,
        .assign = assign, .project = project, .guard = guard, .show = show,
    };
    return &domain;
}
