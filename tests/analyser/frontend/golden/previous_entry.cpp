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
