bool f(const char* s, int n) {
  bool ok = true;
  for (int i = 0; i < n; ++i) ok = ok && s[i] == s[n - 1 - i];
  return ok;
}
