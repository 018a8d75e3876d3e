// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Twelve small loops that compilers and Twofold are asked about; scripts/vectorisers.py reads their verdicts.
#include <climits>
#include <cmath>

float sum(const float* x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}

float maximum(const float* x, int n) {
  float m = -INFINITY;
  for (int i = 0; i < n; ++i) m = x[i] > m ? x[i] : m;
  return m;
}

int last_positive(const float* x, int n) {
  int where = -1;
  for (int i = 0; i < n; ++i)
    if (x[i] > 0) where = i;
  return where;
}

int argmax(const float* x, int n) {
  float best = -INFINITY;
  int where = 0;
  for (int i = 0; i < n; ++i)
    if (x[i] > best) {
      best = x[i];
      where = i;
    }
  return where;
}

int words(const signed char* text, int n) {
  int count = 0;
  bool inside = false;
  for (int i = 0; i < n; ++i) {
    const bool letter = text[i] != ' ';
    if (letter && !inside) ++count;
    inside = letter;
  }
  return count;
}

float smoothed(const float* x, int n) {
  float y = 0;
  for (int i = 0; i < n; ++i) y = 0.5f * y + x[i];
  return y;
}

int best_segment(const int* x, int n) {
  int here = 0, best = 0;
  for (int i = 0; i < n; ++i) {
    here = here + x[i] > 0 ? here + x[i] : 0;
    best = here > best ? here : best;
  }
  return best;
}

unsigned hash(const unsigned* x, int n) {
  unsigned h = 7;
  for (int i = 0; i < n; ++i) h = h * 31u + x[i];
  return h;
}

float softmax_denominator(const float* x, int n) {
  float m = -INFINITY, l = 0;
  for (int i = 0; i < n; ++i) {
    const float next = x[i] > m ? x[i] : m;
    l = l * std::exp(m - next) + std::exp(x[i] - next);
    m = next;
  }
  return l;
}

double variance(const double* x, int n) {
  double count = 0, mean = 0, m2 = 0;
  for (int i = 0; i < n; ++i) {
    count += 1;
    const double delta = x[i] - mean;
    mean += delta / count;
    m2 += delta * (x[i] - mean);
  }
  return m2 / count;
}

int second_largest(const int* x, int n) {
  int first = INT_MIN, second = INT_MIN;
  for (int i = 0; i < n; ++i) {
    if (x[i] > first) {
      second = first;
      first = x[i];
    } else if (x[i] > second) {
      second = x[i];
    }
  }
  return second;
}

int lowest_depth(const int* x, int n) {
  int depth = 0, lowest = 0;
  for (int i = 0; i < n; ++i) {
    depth += x[i];
    lowest = depth < lowest ? depth : lowest;
  }
  return lowest;
}
