extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int main(void) {
  unsigned char x = __VERIFIER_nondet_int();
  if (x * x % 256 == 53) {
    reach_error();
  }
  return 0;
}
