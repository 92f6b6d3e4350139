/* A library with ELINA's interface as a plug-in. APRON's is the same but for the names, so that the
 * example can be tried without ELINA:
 *
 *     cc -shared -fPIC -I crates/plugin/include -DPREFIX=elina -DMANAGER=opt_oct_manager_alloc \
 *        -o octagons.so examples/domain-c/elina.c -L$ELINA/lib -loptoct -lelinaux
 *     cc -shared -fPIC -I crates/plugin/include -DPREFIX=ap -DMANAGER=oct_manager_alloc \
 *        -o octagons.so examples/domain-c/elina.c -L$APRON -loctD -lapron -lmpfr -lgmp -lm
 *     assay run domains --target plugin@$PWD/octagons.so --budget 1m
 *
 * -DSHAPE='"polyhedra"' and another MANAGER (opt_pk_manager_alloc) make polyhedra of it. What is
 * declared here is what both libraries' headers declare; with those at hand, include them instead.
 */
#include "assay_domain.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PREFIX
#define PREFIX elina
#endif
#ifndef MANAGER
#define MANAGER opt_oct_manager_alloc
#endif
#ifndef SHAPE
#define SHAPE "octagons"
#endif
#define JOINED(a, b) a##_##b
#define JOIN(a, b) JOINED(a, b)
#define F(name) JOIN(PREFIX, name)

typedef struct manager manager;
typedef struct abstract abstract;

typedef struct {
    int kind;
    void *value;
} coefficient;

typedef struct {
    coefficient constant;
    int kind;
    size_t size;
    coefficient *terms;
} sum;

typedef struct {
    sum *left;
    int relation; /* 0 is =, 1 is >= */
    void *modulus;
} comparison;

typedef struct {
    comparison *first;
    size_t size;
} comparisons;

manager *MANAGER(void);
abstract *F(abstract0_top)(manager *, size_t, size_t);
abstract *F(abstract0_bottom)(manager *, size_t, size_t);
abstract *F(abstract0_copy)(manager *, const abstract *);
void F(abstract0_free)(manager *, abstract *);
bool F(abstract0_is_leq)(manager *, abstract *, abstract *);
bool F(abstract0_is_eq)(manager *, abstract *, abstract *);
bool F(abstract0_is_bottom)(manager *, abstract *);
bool F(abstract0_is_top)(manager *, abstract *);
abstract *F(abstract0_join)(manager *, bool, abstract *, abstract *);
abstract *F(abstract0_meet)(manager *, bool, abstract *, abstract *);
abstract *F(abstract0_widening)(manager *, abstract *, abstract *);
abstract *F(abstract0_assign_linexpr)(manager *, bool, abstract *, unsigned, sum *, abstract *);
abstract *F(abstract0_forget_array)(manager *, bool, abstract *, unsigned *, size_t, bool);
abstract *F(abstract0_meet_lincons_array)(manager *, bool, abstract *, comparisons *);
bool F(manager_get_flag_exact)(manager *);
sum *F(linexpr0_alloc)(int, size_t);
void F(linexpr0_free)(sum *);
void F(coeff_set_scalar_int)(coefficient *, long);

static manager *it;

/* No, where the library does not claim to be exact, is "cannot tell". */
static assay_truth truth(bool yes) { return yes ? 1 : F(manager_get_flag_exact)(it) ? 0 : -1; }

static sum *read(const struct assay_sum *from) {
    sum *to = F(linexpr0_alloc)(0, from->dimensions);
    for (size_t v = 0; v < from->dimensions; v++)
        F(coeff_set_scalar_int)(&to->terms[v], from->coefficients[v]);
    F(coeff_set_scalar_int)(&to->constant, from->constant);
    return to;
}

static void *top(size_t dimensions) { return F(abstract0_top)(it, 0, dimensions); }
static void *bottom(size_t dimensions) { return F(abstract0_bottom)(it, 0, dimensions); }
static void *copy(const void *x) { return F(abstract0_copy)(it, x); }
static void drop(void *x) { F(abstract0_free)(it, x); }
static assay_truth leq(void *x, void *y) { return truth(F(abstract0_is_leq)(it, x, y)); }
static assay_truth eq(void *x, void *y) { return truth(F(abstract0_is_eq)(it, x, y)); }
static assay_truth is_bottom(void *x) { return truth(F(abstract0_is_bottom)(it, x)); }
static assay_truth is_top(void *x) { return truth(F(abstract0_is_top)(it, x)); }
static void *join(void *x, void *y) { return F(abstract0_join)(it, false, x, y); }
static void *meet(void *x, void *y) { return F(abstract0_meet)(it, false, x, y); }
static void *widen(void *x, void *y) { return F(abstract0_widening)(it, x, y); }

static void *assign(void *x, size_t variable, const struct assay_sum *to) {
    sum *right = read(to);
    void *after = F(abstract0_assign_linexpr)(it, false, x, (unsigned)variable, right, NULL);
    F(linexpr0_free)(right);
    return after;
}

static void *project(void *x, size_t variable) {
    unsigned which = (unsigned)variable;
    return F(abstract0_forget_array)(it, false, x, &which, 1, false);
}

static void *guard(void *x, const struct assay_constraint *c) {
    comparison only = {read(&c->sum), c->is_equation ? 0 : 1, NULL};
    comparisons all = {&only, 1};
    void *after = F(abstract0_meet_lincons_array)(it, false, x, &all);
    F(linexpr0_free)(only.left);
    return after;
}

const struct assay_domain *assay_domain(void) {
    static const struct assay_domain domain = {
        .version = ASSAY_DOMAIN_VERSION,
        .name = "elina-style",
        .shape = SHAPE,
        /* Doubles are rounded: precision is promised by the library's flags only, element by element. */
        .lacks = ASSAY_MONOTONE_WIDENING | ASSAY_NO_BEST_TRANSFORMERS,
        .top = top, .bottom = bottom, .copy = copy, .drop = drop,
        .leq = leq, .eq = eq, .is_bottom = is_bottom, .is_top = is_top,
        .join = join, .meet = meet, .widen = widen,
        .assign = assign, .project = project, .guard = guard,
    };
    it = MANAGER();
    return &domain;
}
