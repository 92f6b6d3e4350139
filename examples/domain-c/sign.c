/* A domain of one's own as a plug-in: the sign of each variable.
 *
 *     cc -shared -fPIC -I crates/plugin/include -o sign.so examples/domain-c/sign.c
 *     assay run domains --target plugin@$PWD/sign.so --budget 10s
 *
 * Each variable may be negative, zero or positive, as three bits; an element without any bit for a
 * variable has no point at all.
 */
#include "assay_domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEGATIVE = 1, ZERO = 2, POSITIVE = 4, ANY = 7 };

struct signs {
    size_t dimensions;
    unsigned char of[];
};

static struct signs *make(size_t dimensions, unsigned char all) {
    struct signs *x = malloc(sizeof *x + dimensions);
    x->dimensions = dimensions;
    memset(x->of, all, dimensions);
    return x;
}

static int empty(const struct signs *x) {
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v] == 0) return 1;
    return 0;
}

static void *top(size_t dimensions) { return make(dimensions, ANY); }
static void *bottom(size_t dimensions) { return make(dimensions, 0); }
static void drop(void *x) { free(x); }

static void *copy(const void *from) {
    const struct signs *x = from;
    struct signs *y = make(x->dimensions, 0);
    memcpy(y->of, x->of, x->dimensions);
    return y;
}

static assay_truth leq(void *a, void *b) {
    struct signs *x = a, *y = b;
    if (empty(x)) return 1;
    if (empty(y)) return 0;
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v] & ~y->of[v]) return 0;
    return 1;
}

static assay_truth eq(void *x, void *y) { return leq(x, y) && leq(y, x); }
static assay_truth is_bottom(void *x) { return empty(x); }

static assay_truth is_top(void *a) {
    struct signs *x = a;
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v] != ANY) return 0;
    return 1;
}

static void *join(void *a, void *b) {
    struct signs *x = a, *y = b;
    if (empty(x)) return copy(y);
    struct signs *z = copy(x);
    if (empty(y)) return z;
    for (size_t v = 0; v < z->dimensions; v++) z->of[v] |= y->of[v];
    return z;
}

static void *meet(void *a, void *b) {
    struct signs *y = b, *z = copy(a);
    for (size_t v = 0; v < z->dimensions; v++) z->of[v] &= y->of[v];
    if (empty(z)) memset(z->of, 0, z->dimensions);
    return z;
}

static unsigned char sign(int64_t k) { return k < 0 ? NEGATIVE : k > 0 ? POSITIVE : ZERO; }

static unsigned char times(unsigned char x, int64_t k) {
    if (k == 0) return ZERO;
    if (k > 0) return x;
    return (x & ZERO) | (x & NEGATIVE ? POSITIVE : 0) | (x & POSITIVE ? NEGATIVE : 0);
}

static unsigned char plus(unsigned char x, unsigned char y) {
    unsigned char z = 0;
    if (x & ZERO) z |= y;
    if (y & ZERO) z |= x;
    if (x & y & NEGATIVE) z |= NEGATIVE;
    if (x & y & POSITIVE) z |= POSITIVE;
    if ((x & NEGATIVE && y & POSITIVE) || (x & POSITIVE && y & NEGATIVE)) z = ANY;
    return z;
}

static unsigned char value(const struct signs *x, const struct assay_sum *sum) {
    unsigned char total = sign(sum->constant);
    for (size_t v = 0; v < x->dimensions; v++)
        if (sum->coefficients[v]) total = plus(total, times(x->of[v], sum->coefficients[v]));
    return total;
}

static void *assign(void *x, size_t variable, const struct assay_sum *sum) {
    struct signs *z = copy(x);
    if (!empty(z)) z->of[variable] = value(z, sum);
    return z;
}

static void *project(void *x, size_t variable) {
    struct signs *z = copy(x);
    if (!empty(z)) z->of[variable] = ANY;
    return z;
}

static void *guard(void *x, const struct assay_constraint *c) {
    struct signs *z = copy(x);
    if (empty(z)) return z;
    unsigned char wanted = c->is_equation ? ZERO : ZERO | POSITIVE;
    if (!(value(z, &c->sum) & wanted)) memset(z->of, 0, z->dimensions);
    size_t only = z->dimensions, terms = 0;
    for (size_t v = 0; v < z->dimensions; v++)
        if (c->sum.coefficients[v]) only = v, terms++;
    if (terms != 1 || empty(z)) return z;
    /* k*x + c compared with 0: what each sign of x makes of the sum. */
    unsigned char kept = 0;
    for (unsigned char s = NEGATIVE; s <= POSITIVE; s <<= 1) {
        unsigned char sum = plus(times(s, c->sum.coefficients[only]), sign(c->sum.constant));
        if (z->of[only] & s && sum & wanted) kept |= s;
    }
    if (kept) z->of[only] = kept;
    else memset(z->of, 0, z->dimensions);
    return z;
}

static void show(void *a, char *buffer, size_t size) {
    static const char *const names[] = {"none", "< 0", "= 0", "<= 0", "> 0", "!= 0", ">= 0", "any"};
    struct signs *x = a;
    size_t used = 0;
    buffer[0] = 0;
    for (size_t v = 0; v < x->dimensions && used + 24 < size; v++)
        if (x->of[v] != ANY)
            used += snprintf(buffer + used, size - used, "x%zu %s ", v, names[x->of[v]]);
}

const struct assay_domain *assay_domain(void) {
    static const struct assay_domain domain = {
        .version = ASSAY_DOMAIN_VERSION,
        .name = "sign",
        .shape = "intervals",
        /* Signs cannot hold most intervals, so guards and meets of intervals are not exact here. */
        .lacks = ASSAY_NO_EXACT_MEET | ASSAY_NO_BEST_TRANSFORMERS | ASSAY_NO_LEAST_JOIN,
        .top = top, .bottom = bottom, .copy = copy, .drop = drop,
        .leq = leq, .eq = eq, .is_bottom = is_bottom, .is_top = is_top,
        .join = join, .meet = meet, .widen = join,
        .assign = assign, .project = project, .guard = guard, .show = show,
    };
    return &domain;
}
