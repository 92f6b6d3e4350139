/* Runs the program beside it: once on the tape, or many times on random and extreme inputs. */
#if __FLT_EVAL_METHOD__ != 0
#error "the operations of float and double are not done in float and double"
#endif
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf assay_end;
static unsigned int assay_at, assay_hits;
static unsigned long assay_state;

void assay_reached(void) { assay_hits = assay_hits + 1U; longjmp(assay_end, 1); }
void assay_abort(void) { longjmp(assay_end, 1); }

static unsigned long assay_random(void) {
  assay_state ^= assay_state << 13;
  assay_state ^= assay_state >> 7;
  assay_state ^= assay_state << 17;
  return assay_state;
}

static unsigned long assay_next(const char *source) {
  if (ASSAY_RUNS == 0U) {
    if (strcmp(assay_tape[assay_at].source, source) != 0) { exit(97); }
    return assay_tape[assay_at++].value;
  }
  unsigned long drawn = assay_random();
  unsigned long power = 1UL << (assay_random() % 64UL);
  switch (drawn % 8UL) {
  case 0: return 0UL;
  case 1: return ~0UL;
  case 2: return power;
  case 3: return power - 1UL;
  case 4: return ~power;
  case 5: return assay_random() % 16UL;
  case 6: return 0UL - assay_random() % 16UL;
  default: return assay_random();
  }
}

/* The encoding of a floating-point number: special ones, small ones, ratios of integers, any. */
static unsigned long assay_encoding(const char *source, int is_double) {
  unsigned long bits = assay_next(source);
  if (ASSAY_RUNS == 0U || bits % 3UL == 0UL) { return bits; }
  double number = (double)(long)bits;
  if (bits % 3UL == 1UL) { number = number / (double)(1L << (assay_random() % 62UL)); }
  switch (assay_random() % 16UL) {
  case 0: number = 0.0 / 0.0; break;
  case 1: number = 1.0 / 0.0; break;
  case 2: number = -1.0 / 0.0; break;
  case 3: number = -0.0; break;
  default: break;
  }
  float narrow = (float)number;
  unsigned int low;
  memcpy(&low, &narrow, sizeof low);
  memcpy(&bits, &number, sizeof bits);
  return is_double ? bits : low;
}

#define abort assay_abort
#define main assay_main
#include "program.c"
#undef main
#undef abort

#define ASSAY_SOURCE(type, name) type __VERIFIER_nondet_##name(void) { return (type)assay_next(#name); }
_Bool __VERIFIER_nondet_bool(void) { return assay_next("bool") & 1UL; }
ASSAY_SOURCE(char, char)
ASSAY_SOURCE(unsigned char, uchar)
ASSAY_SOURCE(short, short)
ASSAY_SOURCE(unsigned short, ushort)
ASSAY_SOURCE(int, int)
ASSAY_SOURCE(unsigned int, uint)
ASSAY_SOURCE(long, long)
ASSAY_SOURCE(unsigned long, ulong)
float __VERIFIER_nondet_float(void) {
  unsigned int bits = (unsigned int)assay_encoding("float", 0);
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}
double __VERIFIER_nondet_double(void) {
  unsigned long bits = assay_encoding("double", 1);
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}

int main(void) {
  static unsigned int run;
  assay_state = ASSAY_SEED * 2UL + 1UL;
  for (run = 0U; run < (ASSAY_RUNS == 0U ? 1U : ASSAY_RUNS); run++) {
    if (setjmp(assay_end) == 0) { assay_main(); }
    if (assay_hits > 0U) { break; }
  }
  puts(assay_hits > 0U ? "reached" : "not reached");
  return 0;
}
