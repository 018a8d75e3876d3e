// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is taken for granted, and said.
#include <cassert>
#include <cstdlib>
#include <vector>

struct sums {
  double s, m;
};

void reference_beside_array(const double* x, const double& k, double& s, int n) {
  s = 0;
  for (int i = 0; i < n; ++i) s += k * x[i];
}
void told_apart_by_type(const int* x, double& s, int n) {
  s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
}
void two_outputs(double* x, double* s, int n) {
  *s = 0;
  for (int i = 0; i < n; ++i) {
    *s += x[i];
    x[i] = *s;
  }
}
void object_beside_array(const double* x, int n, sums* o) {
  o->s = o->m = 0;
  for (int i = 0; i < n; ++i) o->s += x[i], o->m += o->s;
}
void restricted(const double* x, double* __restrict s, int n) {
  *s = 0;
  for (int i = 0; i < n; ++i) *s += x[i];
}
double may_abort(const double* x, int n) {
  double s = 0;
  for (int i = 0; i < n; ++i) {
    if (x[i] < 0) std::abort();
    assert(x[i] < 3);
    s += x[i];
  }
  return s;
}
double signed_against_size(const std::vector<double>& x, int low) {
  double s = 0;
  for (int i = low; i < x.size(); ++i) s += x[i];
  return s;
}
double in_steps(const double* x, int n, int d) {
  double s = 0;
  for (int i = 0; i < n * d; i += d) s += x[i];
  return s;
}
double both_ends(const double* x, int n, int stop) {
  double s = 0;
  for (int i = 0; i < n && i != stop; ++i) s += x[i];
  return s;
}
void histogram_of_wrapped(const unsigned* x, int n, double* h, int k, unsigned off) {
  for (int j = 0; j < k; ++j) h[j] = 0;
  for (int i = 0; i < n; ++i) h[x[i] + off] += 1;
}

// a length below 0 would be a very large one to the loop, and itself to the answer
double mean_by_unsigned_length(const double* x, int m) {
  const unsigned n = m;
  double s = 0;
  for (unsigned i = 0; i < n; ++i) s += x[i];
  return s / m;
}
