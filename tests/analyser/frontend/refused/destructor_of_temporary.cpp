struct guard {
  int* p;
  guard(int* q) : p(q) { ++*p; }
  ~guard() { --*p; }
};
int f(const double* x, int n) {
  int depth = 0, most = 0;
  for (int i = 0; i < n; ++i) {
    guard(&depth), most += x[i] > 0 ? depth : 0;
  }
  return most;
}
