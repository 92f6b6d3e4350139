/* Abstract domains as plug-ins of assay.
 *
 * A plug-in is a shared library that exports one function:
 *
 *     const struct assay_domain *assay_domain(void);
 *
 * Elements are opaque pointers. Operations return new elements and leave their operands as they
 * are; `drop` frees one. Variables are numbered from 0. Every function is called from one thread
 * of a process of its own, so that a crash, an endless loop or a flood of output ends that process
 * only.
 */
#ifndef ASSAY_DOMAIN_H
#define ASSAY_DOMAIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_DOMAIN_VERSION 2

/* c[0]*x0 + c[1]*x1 + ... + constant */
struct assay_sum {
    const int64_t *coefficients;
    size_t dimensions;
    int64_t constant;
};

/* sum >= 0, or sum = 0 */
struct assay_constraint {
    struct assay_sum sum;
    int32_t is_equation;
};

/* Answers: 1 yes, 0 no, -1 cannot tell. */
typedef int32_t assay_truth;

/* What is not promised; laws that need it are not tried. */
#define ASSAY_NO_LEAST_JOIN 1u        /* joins are not least upper bounds, or widening adds to what is stable */
#define ASSAY_NO_EXACT_MEET 2u        /* meets and guards may hold more than the intersection */
#define ASSAY_MONOTONE_WIDENING 4u    /* widen(x, y) needs x within y */
#define ASSAY_NO_BEST_TRANSFORMERS 8u /* assign, project, guard may hold more than the best ones */

struct assay_domain {
    uint32_t version;  /* ASSAY_DOMAIN_VERSION */
    const char *name;
    const char *shape; /* intervals, octagons, polyhedra, zonotopes, congruences, grids */
    uint32_t lacks;

    /* These are needed. No operation returns a null pointer. */
    void *(*top)(size_t dimensions);
    void *(*bottom)(size_t dimensions);
    void *(*copy)(const void *x);
    void (*drop)(void *x);

    assay_truth (*leq)(void *x, void *y);
    assay_truth (*eq)(void *x, void *y);
    assay_truth (*is_bottom)(void *x);
    assay_truth (*is_top)(void *x);

    void *(*join)(void *x, void *y);
    void *(*meet)(void *x, void *y);
    void *(*widen)(void *x, void *y);
    void *(*assign)(void *x, size_t variable, const struct assay_sum *sum);
    void *(*project)(void *x, size_t variable);
    void *(*guard)(void *x, const struct assay_constraint *constraint);

    /* Each of the following may be null. */
    void *(*narrow)(void *x, void *y);
    void *(*close)(void *x);
    /* A join that is told the loop head, which may be any element, and the precise join, as learnt
     * transformers are. The laws are then about this join; `join` makes their operands. */
    void *(*join_hinted)(void *x, void *y, void *loop_head, void *precise);
    /* Writes at most `size` bytes, the last of which is zero. */
    void (*show)(void *x, char *buffer, size_t size);

    /* Laws that the domain does not claim, by name or number, with a null pointer after the last. */
    const char *const *without;
    /* Steps after which widening and narrowing must have come to rest; 0 means 200. */
    uint32_t steps;
};

const struct assay_domain *assay_domain(void);

#ifdef __cplusplus
}
#endif

#endif
