// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Number of words in a text: runs of characters other than blanks.
int word_count(const char* text, int n) {
  int words = 0;
  bool inside = false;
  for (int i = 0; i < n; ++i) {
    const bool blank = text[i] == ' ' || text[i] == '\n' || text[i] == '\t';
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}
