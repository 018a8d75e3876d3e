struct shape {
  virtual float of(float x) const { return x; }
};
float f(const float* x, int n) {
  float s = 0;
  shape t;
  for (int i = 0; i < n; ++i) s += t.of(x[i]);
  return s;
}
