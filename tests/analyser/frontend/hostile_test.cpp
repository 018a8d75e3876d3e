// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Sources that want something else than an answer: files outside of their folder, endless work, an overflow of the stack. Every
//! limit ends in an error with its code, and nothing of a forbidden file gets into it.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "support.hpp"

namespace twofold::analyser::test {
namespace {

namespace fs = std::filesystem;

const std::string loop = "int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += x[i]; return s; }\n";

//! A folder with sources, and beside it a file that is none of their business.
struct fenced {
  fs::path outer = fs::temp_directory_path() / ("twofold_fenced_" + std::to_string(::getpid()));
  fs::path secret = outer / "secret.hpp", folder = outer / "in";
  fenced() {
    fs::remove_all(outer);
    fs::create_directories(folder / "below");
    std::ofstream(secret) << "int canary8913 = canary8913_too;\n";
    std::ofstream(folder / "below" / "helper.hpp") << "inline int twice(int v) { return 2 * v; }\n";
  }
  ~fenced() { fs::remove_all(outer); }
  fenced(const fenced&) = delete;
  fenced& operator=(const fenced&) = delete;

  frontend_result read(const std::string& text, const frontend_options& o = {}) const {
    std::ofstream(folder / "source.cpp") << text;
    return read_source((folder / "source.cpp").string(), "", o);
  }
};

std::string all_words(const frontend_result& r) {
  std::string all;
  for (const frontend_error& e : r.errors) all += e.where.file + " " + describe(e) + "\n";
  for (const spec& s : r.specs) all += s.where.file + " " + dump(s);
  return all;
}

TEST(Hostile, FilesOutsideOfTheFolderDoNotExist) {
  const fenced f;
  fs::create_symlink(f.secret, f.folder / "link.hpp");
  const std::string name = "\"" + f.secret.string() + "\"";
  for (const std::string& line : {"#include " + name, std::string("#include \"../secret.hpp\""), std::string("#include \"link.hpp\""),
                                  std::string("#include \"below/../../secret.hpp\""),
                                  "#include <../../../../../../../../.." + f.secret.string() + ">", "#import " + name}) {
    const frontend_result r = f.read(line + "\n" + loop);
    ASSERT_EQ(r.errors.size(), 1u) << line;
    EXPECT_EQ(r.errors[0].code, "TF2103") << line;
    EXPECT_NE(r.errors[0].what.find("file not found"), std::string::npos) << r.errors[0].what;
    EXPECT_EQ(all_words(r).find("canary8913"), std::string::npos) << line;
  }
  const frontend_result seen = f.read("#if __has_include(" + name + ")\n#error there\n#endif\n" + loop);
  EXPECT_EQ(seen.specs.size(), 1u) << all_words(seen);
  const frontend_result embedded = f.read("const unsigned char bytes[] = {\n#embed " + name + "\n};\n" + loop);
  ASSERT_EQ(embedded.errors.size(), 1u);
  EXPECT_EQ(embedded.errors[0].code, "TF2103");
}

TEST(Hostile, FilesBelowTheFolderAndBelowGivenRootsAreRead) {
  const fenced f;
  EXPECT_EQ(f.read("#include \"below/helper.hpp\"\n" + loop).specs.size(), 1u);
  EXPECT_EQ(f.read("#include \"secret.hpp\"\n" + loop).errors.size(), 1u);
  fs::create_directories(f.outer / "given");
  std::ofstream(f.outer / "given" / "mine.hpp") << "inline int thrice(int v) { return 3 * v; }\n";
  frontend_options o;
  o.include_dirs = {(f.outer / "given").string()};
  o.cache_dir = (f.outer / "cache").string();
  for (const char* line : {"#include \"mine.hpp\"\n", "#include <mine.hpp>\n", "#include \"../given/mine.hpp\"\n"})
    EXPECT_EQ(f.read(line + loop, o).specs.size(), 1u) << line;
}

TEST(Hostile, PlacesAreInFilesThatAreThere) {
  const fenced f;
  for (const std::string& text : {"#line 1 \"" + f.secret.string() + "\"\n" + loop, "#line 1 \"" + f.secret.string() + "\"\nint f(;\n",
                                  "#line 1 \"" + f.secret.string() + "\"\nint f(int n) { for (;;) goto a; a: return n; }\n"}) {
    const frontend_result r = f.read(text);
    for (const spec& s : r.specs) {
      EXPECT_EQ(fs::path(s.where.file).filename(), "source.cpp");
      EXPECT_EQ(s.where.line, 2);
    }
    for (const frontend_error& e : r.errors) EXPECT_EQ(fs::path(e.where.file).filename(), "source.cpp") << describe(e);
    EXPECT_FALSE(r.specs.empty() && r.errors.empty());
  }
}

std::string repeated(const std::string& part, std::size_t times) {
  std::string r;
  for (std::size_t i = 0; i < times; ++i) r += part;
  return r;
}

TEST(Hostile, DeepOrEndlessSourcesAreRefused) {
  const fenced f;
  std::string bomb = "#define M0 1 +\n";
  for (int i = 1; i < 40; ++i) bomb += "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " M" + std::to_string(i - 1) + "\n";
  const std::string inside = "int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += ", end = "x[i]; return s; }";
  const std::string whole = "int f(const int* x, int n) { int s = 0; ";
  const std::vector<std::pair<std::string, std::string>> sources{
      {bomb + "int b = M39 1;\n", "TF4002"},
      {inside + repeated("- ", 100000) + end, "TF4002"},
      {inside + repeated(" -", 300) + end, "TF4002"},
      {inside + repeated("x[i] + ", 50000) + end, "TF4002"},
      {inside + repeated("x[i], ", 50000) + end, "TF4002"},
      {inside + repeated("x[i] ? 1 : ", 50000) + end, "TF4002"},
      {inside + repeated("s = ", 50000) + end, "TF4002"},
      {inside + repeated("(", 300) + "x[i]" + repeated(")", 300) + "; return s; }", "TF2103"},
      {whole + repeated("if (n) ", 50000) + "return s; for (int i = 0; i < n; ++i) s += x[i]; return s; }", "TF4002"},
      {whole + repeated("if (n == 7) s = 1; else ", 30000) + "s = 2; for (int i = 0; i < n; ++i) s += x[i]; return s; }", "TF4002"},
      {whole + repeated("{", 300) + repeated("}", 300) + "for (int i = 0; i < n; ++i) s += x[i]; return s; }", "TF2103"},
      {whole + "for (int i = 0; i < n; ++i) { " + repeated("if (x[i] == 7) ", 300) + "++s; } return s; }", "TF4002"},
      {whole + "for (int i = 0; i < n; ++i) { " + repeated("if (x[i] == 7) break; ", 300) + "++s; } return s; }", "TF4002"},
      {whole + "for (int i = 0; i < n; ++i) { " + repeated("s += x[i] * 3; ", 12000) + "} return s; }", "TF4002"},
      {"int f(int a) { return a < " + repeated("a < ", 50000) + "1; }", "TF4002"},
      {"template <int N> struct deep { static constexpr int v = deep<N - 1>::v; };\nint g() { return deep<100000>::v; }\n", "TF2103"},
      {"#include __FILE__\n", "TF2103"},
      {"constexpr int count(int n) { while (true) ++n; return n; }\nconstexpr int c = count(0);\n", "TF2103"},
  };
  for (const auto& [text, code] : sources) {
    ASSERT_LT(text.size(), 1u << 20);
    const frontend_result r = f.read(text);
    ASSERT_EQ(r.errors.size(), 1u) << text.substr(0, 200);
    EXPECT_EQ(r.errors[0].code, code) << describe(r.errors[0]) << "\n" << text.substr(0, 200);
    EXPECT_EQ(r.errors[0].kind, code[2] == '2' ? frontend_error::kind::bad_input : frontend_error::kind::unsupported);
    EXPECT_EQ(fs::path(r.errors[0].where.file).filename(), "source.cpp");
    EXPECT_GT(r.errors[0].where.line, 0);
  }
}

TEST(Hostile, OrdinaryLengthIsNotRefused) {
  const fenced f;
  std::string table = "static const int table[3000] = {";
  for (int i = 0; i < 3000; ++i) table += std::to_string(-i) + ", ";
  EXPECT_EQ(f.read(table + "};\n" + loop).specs.size(), 1u);
  std::string cases = "int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) { if (x[i] == 0) s += 1; ";
  for (int i = 1; i < 60; ++i) cases += "else if (x[i] == " + std::to_string(i) + ") s += " + std::to_string(i * i) + "; ";
  const frontend_result r = f.read(cases + "} return s; }\n");
  EXPECT_EQ(r.specs.size(), 1u) << all_words(r);
}

TEST(Hostile, PragmasOfTheCompilersOwnTestsDoNothing) {
  const fenced f;
  for (const char* what : {"crash", "llvm_fatal_error", "llvm_unreachable", "parser_crash", "overflow_stack", "assert"})
    EXPECT_EQ(f.read(std::string("#pragma clang __debug ") + what + "\n" + loop).specs.size(), 1u) << what;
}

TEST(Hostile, TheClockIsNotRead) {
  const fenced f;
  const std::string text =
      "int f(const int* x, int n) { int s = 0; for (int i = 0; i < n; ++i) s += x[i] * __TIME__[7] + __DATE__[4]; return s; }\n";
  const std::string once =
      all_words(f.read("constexpr char c = __TIME__[7], d = __DATE__[5];\nstatic_assert(c == '0' && d == '1');\n" + loop));
  EXPECT_EQ(once.find("TF"), std::string::npos) << once;
  EXPECT_EQ(all_words(f.read(text)), all_words(f.read(text)));
}

TEST(Hostile, TheSameBytesEveryTime) {
  const fenced f;
  const std::string text =
      "#include <cmath>\n#include <vector>\nstruct s { double m, l; };\ns f(const std::vector<double>& x) { s r{-INFINITY, 0}; for (double "
      "v : x) { "
      "const double m = v > r.m ? v : r.m; r.l = r.l * std::exp(r.m - m) + std::exp(v - m); r.m = m; } return r; }\n" +
      loop;
  const std::string first = all_words(f.read(text));
  for (int i = 0; i < 3; ++i) {
    reset_terms();
    EXPECT_EQ(all_words(f.read(text)), first);
  }
  frontend_options cached_options;
  cached_options.cache_dir = (f.outer / "cache").string();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(all_words(f.read(text, cached_options)), first);
}

}  // namespace
}  // namespace twofold::analyser::test
