/* A plug-in that misbehaves on purpose, to see that a worker's end is a result and not ours.
 *
 *     cc -shared -fPIC -DMODE=1 -I crates/plugin/include -o crash.so examples/domain-c/misbehaving.c
 *
 * MODE 1 crashes, 2 loops for ever, 3 writes a gigabyte: in the join of an element that bounds
 * something, and nowhere else.
 */
#include "assay_domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MODE
#define MODE 1
#endif

/* The trivial domain of "nothing", "all" and "all, but guarded": 0, 1 and 2. */
static void *make(int kind) {
    int *x = malloc(sizeof *x);
    *x = kind;
    return x;
}

static int kind(const void *x) { return *(const int *)x; }
static void *top(size_t dimensions) { (void)dimensions; return make(1); }
static void *bottom(size_t dimensions) { (void)dimensions; return make(0); }
static void *copy(const void *x) { return make(kind(x)); }
static void drop(void *x) { free(x); }
static assay_truth leq(void *x, void *y) { return kind(x) == 0 || kind(y) != 0; }
static assay_truth eq(void *x, void *y) { return (kind(x) == 0) == (kind(y) == 0); }
static assay_truth is_bottom(void *x) { return kind(x) == 0; }
static assay_truth is_top(void *x) { return kind(x) != 0; }

static void misbehave(void) {
    if (MODE == 1) abort();
    if (MODE == 2)
        for (volatile int i = 0;;) i++;
    char block[1 << 16];
    memset(block, 'x', sizeof block);
    for (int i = 0; i < 1 << 14; i++) fwrite(block, 1, sizeof block, stdout);
}

static void *join(void *x, void *y) {
    if (kind(x) == 2 && kind(y) == 2) misbehave();
    return make(kind(x) || kind(y));
}

static void *meet(void *x, void *y) { return make(kind(x) && kind(y)); }
static void *widen(void *x, void *y) { return make(kind(x) || kind(y)); }

static void *assign(void *x, size_t variable, const struct assay_sum *sum) {
    (void)variable, (void)sum;
    return make(kind(x) != 0);
}

static void *project(void *x, size_t variable) {
    (void)variable;
    return make(kind(x) != 0);
}

static void *guard(void *x, const struct assay_constraint *constraint) {
    (void)constraint;
    return make(kind(x) ? 2 : 0);
}

const struct assay_domain *assay_domain(void) {
    static const struct assay_domain domain = {
        .version = ASSAY_DOMAIN_VERSION,
        .name = "misbehaving",
        .shape = "intervals",
        .lacks = ASSAY_NO_EXACT_MEET | ASSAY_NO_BEST_TRANSFORMERS | ASSAY_NO_LEAST_JOIN,
        .top = top, .bottom = bottom, .copy = copy, .drop = drop,
        .leq = leq, .eq = eq, .is_bottom = is_bottom, .is_top = is_top,
        .join = join, .meet = meet, .widen = widen,
        .assign = assign, .project = project, .guard = guard,
    };
    return &domain;
}
