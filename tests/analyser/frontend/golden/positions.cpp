#include <cstddef>
#include <cstdint>
void ahead(const double* x, double* y, std::ptrdiff_t n) {
  double s = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i) {
    s += x[i];
    y[i + 1] = s;
  }
}
void behind(const double* x, double* y, std::ptrdiff_t n) {
  double s = 0;
  for (std::ptrdiff_t i = 1; i < n; ++i) {
    s += x[i - 1];
    y[i] = s;
  }
}
void from_the_end(const double* x, double* y, std::ptrdiff_t n) {
  double s = 0;
  for (std::ptrdiff_t i = n - 1; i >= 0; --i) {
    s += x[i];
    y[i] = s;
  }
}
double down_to_wrap(const double* x, std::size_t n) {
  double s = 0;
  for (std::size_t i = n - 1; i != static_cast<std::size_t>(-1); --i) s = s * 0.5 + x[i];
  return s;
}
double down_to_one(const double* x, unsigned n) {
  double s = 0;
  for (unsigned i = n; i >= 1; --i) s = s * 0.5 + x[i - 1];
  return s;
}
int narrow_step(const double* x, std::ptrdiff_t n) {
  std::int8_t c = 0;
  for (std::ptrdiff_t i = 0; i < n; ++i)
    if (x[i] > 0) c++;
  return c;
}
double narrow_position(const double* x, std::size_t n) {
  double s = 0;
  for (std::size_t i = 0; i < n; ++i) s = s * 0.5 + x[static_cast<std::uint32_t>(i)];
  return s;
}
