// Attention in fixed and other arrangements.
#include <algorithm>
#include <cmath>
#include <vector>

constexpr int head = 64;

void fixed_head(const float (*k)[head], const float (*v)[head], const float q[head], float out[head], int n) {
  float m = -INFINITY, l = 0, acc[head] = {};
  for (int i = 0; i < n; ++i) {
    float s = 0;
    for (int j = 0; j < head; ++j) s += q[j] * k[i][j];
    const float m2 = std::max(m, s), scale = std::exp(m - m2), p = std::exp(s - m2);
    for (int j = 0; j < head; ++j) acc[j] = acc[j] * scale + p * v[i][j];
    l = l * scale + p;
    m = m2;
  }
  for (int j = 0; j < head; ++j) out[j] = acc[j] / l;
}
void masked(const float* s, const bool* mask, const float* v, float* out, int n, int d) {
  float m = -INFINITY, l = 0;
  std::vector<float> acc(d);
  for (int i = 0; i < n; ++i) {
    if (!mask[i]) continue;
    const float next = std::max(m, s[i]);
    const float c = std::exp(m - next), p = std::exp(s[i] - next);
    l = l * c + p;
    for (int j = 0; j < d; ++j) acc[j] = acc[j] * c + p * v[i * d + j];
    m = next;
  }
  for (int j = 0; j < d; ++j) out[j] = l > 0 ? acc[j] / l : 0.0f;
}
