/* Gives the program the inputs above, in this order: gcc program.c witness.c && ./a.out */
#include <stdlib.h>
#include <string.h>

static unsigned long next(const char *source) {
  static unsigned int at;
  if (strcmp(assay_tape[at].source, source) != 0) { exit(97); }
  return assay_tape[at++].value;
}

#define SOURCE(type, name) type __VERIFIER_nondet_##name(void) { return (type)next(#name); }
_Bool __VERIFIER_nondet_bool(void) { return next("bool") & 1UL; }
SOURCE(char, char)
SOURCE(unsigned char, uchar)
SOURCE(short, short)
SOURCE(unsigned short, ushort)
SOURCE(int, int)
SOURCE(unsigned int, uint)
SOURCE(long, long)
SOURCE(unsigned long, ulong)
float __VERIFIER_nondet_float(void) {
  unsigned int bits = (unsigned int)next("float");
  float number;
  memcpy(&number, &bits, sizeof number);
  return number;
}
double __VERIFIER_nondet_double(void) {
  unsigned long bits = next("double");
  double number;
  memcpy(&number, &bits, sizeof number);
  return number;
}
