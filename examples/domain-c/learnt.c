/* A learnt join as a plug-in, in the manner of LAIT: it is told the loop head and the precise join,
 * and leaves out constraints that it believes to be redundant.
 *
 *     cc -shared -fPIC -I crates/plugin/include -o learnt.so examples/domain-c/learnt.c
 *     assay run domains --target plugin@$PWD/learnt.so --budget 10s
 *
 * The domain below is intervals; what stands for the classifier keeps a bound only if the loop head
 * has it too, and believes that large upper bounds are of no use to anybody: even x joined with x loses
 * them. Whatever it leaves out, the result has all points of both operands. With -DMODE=1 it makes the
 * mistake that such code makes: where the loop head is bottom, it takes it for the result.
 */
#include "assay_domain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MODE
#define MODE 0
#endif

struct bounds {
    int has_low, has_high;
    int64_t low, high;
};

struct box {
    size_t dimensions;
    int empty;
    struct bounds of[];
};

static struct box *make(size_t dimensions, int empty) {
    struct box *x = calloc(1, sizeof *x + dimensions * sizeof(struct bounds));
    x->dimensions = dimensions;
    x->empty = empty;
    return x;
}

static void *top(size_t dimensions) { return make(dimensions, 0); }
static void *bottom(size_t dimensions) { return make(dimensions, 1); }
static void drop(void *x) { free(x); }

static void *copy(const void *from) {
    const struct box *x = from;
    struct box *y = make(x->dimensions, x->empty);
    memcpy(y->of, x->of, x->dimensions * sizeof(struct bounds));
    return y;
}

static int within(struct bounds x, struct bounds y) {
    return (!y.has_low || (x.has_low && x.low >= y.low)) &&
           (!y.has_high || (x.has_high && x.high <= y.high));
}

static assay_truth leq(void *a, void *b) {
    struct box *x = a, *y = b;
    if (x->empty || y->empty) return x->empty;
    for (size_t v = 0; v < x->dimensions; v++)
        if (!within(x->of[v], y->of[v])) return 0;
    return 1;
}

static assay_truth eq(void *x, void *y) { return leq(x, y) && leq(y, x); }
static assay_truth is_bottom(void *x) { return ((struct box *)x)->empty; }

static assay_truth is_top(void *a) {
    struct box *x = a;
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v].has_low || x->of[v].has_high) return 0;
    return !x->empty;
}

static void *join(void *a, void *b) {
    struct box *x = a, *y = b;
    if (x->empty || y->empty) return copy(x->empty ? y : x);
    struct box *z = copy(x);
    for (size_t v = 0; v < z->dimensions; v++) {
        struct bounds *p = &z->of[v], q = y->of[v];
        p->has_low &= q.has_low;
        p->has_high &= q.has_high;
        if (p->has_low && q.low < p->low) p->low = q.low;
        if (p->has_high && q.high > p->high) p->high = q.high;
    }
    return z;
}

/* The learnt join. */
static void *join_hinted(void *x, void *y, void *loop_head, void *precise) {
    struct box *head = loop_head, *z = copy(precise);
    (void)x, (void)y;
    for (size_t v = 0; v < z->dimensions; v++) z->of[v].has_high &= z->of[v].high < 1000;
    if (head->empty) {
        if (MODE == 1) memcpy(z, head, sizeof *z);
        return z;
    }
    for (size_t v = 0; v < z->dimensions; v++) {
        z->of[v].has_low &= head->of[v].has_low;
        z->of[v].has_high &= head->of[v].has_high;
    }
    return z;
}

static void tidy(struct box *x) {
    for (size_t v = 0; v < x->dimensions; v++)
        if (x->of[v].has_low && x->of[v].has_high && x->of[v].low > x->of[v].high) x->empty = 1;
}

static void cut(struct bounds *p, struct bounds q) {
    if (q.has_low && (!p->has_low || q.low > p->low)) p->has_low = 1, p->low = q.low;
    if (q.has_high && (!p->has_high || q.high < p->high)) p->has_high = 1, p->high = q.high;
}

static void *meet(void *a, void *b) {
    struct box *y = b, *z = copy(a);
    z->empty |= y->empty;
    for (size_t v = 0; v < z->dimensions; v++) cut(&z->of[v], y->of[v]);
    tidy(z);
    return z;
}

static void *widen(void *a, void *b) {
    struct box *x = a, *y = b;
    if (x->empty || y->empty) return copy(x->empty ? y : x);
    struct box *z = copy(x);
    for (size_t v = 0; v < z->dimensions; v++) {
        struct bounds *p = &z->of[v], q = y->of[v];
        p->has_low &= q.has_low && q.low >= p->low;
        p->has_high &= q.has_high && q.high <= p->high;
    }
    return z;
}

static void *project(void *a, size_t variable) {
    struct box *z = copy(a);
    z->of[variable].has_low = z->of[variable].has_high = 0;
    return z;
}

/* Only constants are kept; anything else may be any number. */
static void *assign(void *a, size_t variable, const struct assay_sum *sum) {
    struct box *z = project(a, variable);
    for (size_t v = 0; v < z->dimensions; v++)
        if (sum->coefficients[v]) return z;
    z->of[variable] = (struct bounds){1, 1, sum->constant, sum->constant};
    return z;
}

/* Only bounds of one variable are understood. */
static void *guard(void *a, const struct assay_constraint *c) {
    struct box *z = copy(a);
    size_t only = 0, terms = 0;
    for (size_t v = 0; v < z->dimensions; v++)
        if (c->sum.coefficients[v]) only = v, terms++;
    int64_t k = c->sum.constant;
    if (terms == 0 && (k < 0 || (c->is_equation && k > 0))) z->empty = 1;
    int64_t factor = terms == 1 ? c->sum.coefficients[only] : 0;
    if ((factor != 1 && factor != -1) || k == INT64_MIN) return z;
    struct bounds q = {0, 0, 0, 0};
    int64_t end = factor > 0 ? -k : k;
    if (factor > 0 || c->is_equation) q.has_low = 1, q.low = end;
    if (factor < 0 || c->is_equation) q.has_high = 1, q.high = end;
    cut(&z->of[only], q);
    tidy(z);
    return z;
}

static void show(void *a, char *buffer, size_t size) {
    struct box *x = a;
    size_t used = snprintf(buffer, size, x->empty ? "bottom" : "");
    for (size_t v = 0; v < x->dimensions && !x->empty && used + 80 < size; v++) {
        struct bounds p = x->of[v];
        if (p.has_low) used += snprintf(buffer + used, size - used, "x%zu >= %lld ", v, (long long)p.low);
        if (p.has_high) used += snprintf(buffer + used, size - used, "x%zu <= %lld ", v, (long long)p.high);
    }
}

const struct assay_domain *assay_domain(void) {
    static const struct assay_domain domain = {
        .version = ASSAY_DOMAIN_VERSION,
        .name = "learnt",
        .shape = "intervals",
        /* A join that leaves constraints out is not the least one; that is its purpose. */
        .lacks = ASSAY_NO_LEAST_JOIN | ASSAY_NO_BEST_TRANSFORMERS | ASSAY_NO_EXACT_MEET,
        .top = top, .bottom = bottom, .copy = copy, .drop = drop,
        .leq = leq, .eq = eq, .is_bottom = is_bottom, .is_top = is_top,
        .join = join, .meet = meet, .widen = widen,
        .assign = assign, .project = project, .guard = guard,
        .join_hinted = join_hinted, .show = show,
    };
    return &domain;
}
