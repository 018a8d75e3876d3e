// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Whether every bracket of a text closes one that was opened before it, and none stays open.
bool balanced(const char* text, int n) {
  int depth = 0;
  bool ok = true;
  for (int i = 0; i < n; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth < 0) ok = false;
  }
  return ok && depth == 0;
}
