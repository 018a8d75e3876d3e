// Outputs that are computed from the entry before.
void ema_through_memory(const float* x, float* y, int n, float a) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = a * x[i] + (1 - a) * y[i - 1];
}
void prefix_through_memory(const double* x, double* y, int n) {
  y[0] = x[0];
  for (int i = 1; i < n; ++i) y[i] = y[i - 1] + x[i];
}
void prefix_in_place(double* x, int n) {
  for (int i = 1; i < n; ++i) x[i] += x[i - 1];
}
void suffix_through_memory(const double* x, double* y, int n) {
  y[n - 1] = x[n - 1];
  for (int i = n - 2; i >= 0; --i) y[i] = y[i + 1] + x[i];
}
int longest_equal_run(const int* x, int n) {
  int best = 0, run = 0;
  for (int i = 0; i < n; ++i) {
    if (i > 0 && x[i] == x[i - 1]) ++run;
    else run = 1;
    if (run > best) best = run;
  }
  return best;
}
void decayed_past(const double* x, double* y, int n) {
  y[0] = 0;
  for (int i = 1; i < n; ++i) y[i] = 0.5 * y[i - 1] + x[i - 1];
}
// y has one entry more than x, the first of which no loop writes.
void offsets(const double* x, double* y, int n) {
  double s = 0;
  y[0] = 2;
  for (int i = 0; i < n; ++i) {
    s += x[i];
    y[i + 1] = s;
  }
}
