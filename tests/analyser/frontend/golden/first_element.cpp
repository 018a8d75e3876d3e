// The first element treated by another rule.
#include <algorithm>

float maximum(const float* x, int n) {
  float m = x[0];
  for (int i = 1; i < n; ++i) m = std::max(m, x[i]);
  return m;
}
float maximum_visits_first_again(const float* x, int n) {
  float m = *x;
  for (int i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}
int argmin(const int* x, int n) {
  int at = 0, low = x[0];
  for (int i = 1; i < n; ++i)
    if (x[i] < low) low = x[i], at = i;
  return at;
}
float average_from_first(const float* x, int n, float a) {
  float s = x[0];
  for (int i = 1; i < n; ++i) s += a * (x[i] - s);
  return s;
}
float special_inside(const float* x, int n, float a) {
  float s = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 0) s = x[0];
    else s += a * (x[i] - s);
  }
  return s;
}
double guarded(const double* x, int n) {
  if (n == 0) return 0;
  double m = x[0];
  for (int i = 1; i < n; ++i) m = std::min(m, x[i]);
  return m;
}
double differences(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n - 1; ++i) s += (x[i + 1] - x[i]) * (x[i + 1] - x[i]);
  return s;
}
