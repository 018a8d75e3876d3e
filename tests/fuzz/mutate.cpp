// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file Mutations of source text, by tokens. Most keep a token's kind, so that most sources still parse and get far.
#include "fuzz/mutate.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace twofold::analyser::fuzz {
namespace {

enum class kind { space, word, number, type, keyword, sign, text };
struct token {
  kind what;
  std::string text;
};

const std::vector<std::string>& type_words() {
  static const std::vector<std::string> all{"int",
                                            "unsigned",
                                            "long",
                                            "short",
                                            "char",
                                            "bool",
                                            "float",
                                            "double",
                                            "signed char",
                                            "unsigned char",
                                            "std::size_t",
                                            "std::uint8_t",
                                            "std::int64_t",
                                            "const int*",
                                            "float*",
                                            "auto",
                                            "void",
                                            "long double",
                                            "std::vector<int>",
                                            "std::span<const float>",
                                            "std::string",
                                            "volatile int"};
  return all;
}
const std::vector<std::string>& keywords() {
  static const std::vector<std::string> all{"if",    "else",     "for",    "while",    "do",        "switch",  "case",     "default",
                                            "break", "continue", "return", "goto",     "const",     "static",  "struct",   "try",
                                            "throw", "new",      "delete", "template", "constexpr", "auto",    "sizeof",   "union",
                                            "enum",  "class",    "using",  "typename", "operator",  "virtual", "co_return"};
  return all;
}
const std::vector<std::string>& signs() {
  static const std::vector<std::string> all{"+",  "-",  "*",  "/",  "%", "<",  ">",  "<=", ">=", "==", "!=",  "&&",  "||", "&",
                                            "|",  "^",  "<<", ">>", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=",
                                            "^=", "++", "--", "!",  "~", "?",  ":",  ",",  ".",  "->", "::",  "<=>"};
  return all;
}
const std::vector<std::string>& numbers() {
  static const std::vector<std::string> all{"0",
                                            "1",
                                            "-1",
                                            "2",
                                            "7",
                                            "31",
                                            "32",
                                            "63",
                                            "64",
                                            "255",
                                            "256",
                                            "65535",
                                            "2147483647",
                                            "-2147483648",
                                            "4294967295u",
                                            "9223372036854775807",
                                            "18446744073709551615ull",
                                            "0.0",
                                            "-0.0",
                                            "0.5",
                                            "1e30",
                                            "1e308",
                                            "1e-320",
                                            "1e400",
                                            "INFINITY",
                                            "NAN",
                                            "0x1p-1074",
                                            "1.5f",
                                            "'a'",
                                            "'\\0'",
                                            "true",
                                            "nullptr",
                                            "99999999999999999999",
                                            "1'000",
                                            "0b11"};
  return all;
}

std::vector<token> tokens_of(const std::string& s) {
  static const std::set<std::string> types(type_words().begin(), type_words().end()), words(keywords().begin(), keywords().end()),
      two(signs().begin(), signs().end());
  std::vector<token> r;
  for (std::size_t i = 0; i < s.size();) {
    const std::size_t from = i;
    const auto c = static_cast<unsigned char>(s[i]);
    kind k = kind::sign;
    if (std::isspace(c)) {
      while (i < s.size() && std::isspace(static_cast<unsigned char>(s[i]))) ++i;
      k = kind::space;
    } else if (std::isalpha(c) || c == '_') {
      while (i < s.size() && (std::isalnum(static_cast<unsigned char>(s[i])) || s[i] == '_')) ++i;
      const std::string w = s.substr(from, i - from);
      k = types.contains(w) ? kind::type : words.contains(w) ? kind::keyword : kind::word;
    } else if (std::isdigit(c)) {
      while (i < s.size() && (std::isalnum(static_cast<unsigned char>(s[i])) || s[i] == '.' || s[i] == '\'')) ++i;
      k = kind::number;
    } else if (c == '"' || c == '\'') {
      for (++i; i < s.size() && s[i] != s[from]; ++i)
        if (s[i] == '\\') ++i;
      i = std::min(s.size(), i + 1);
      k = kind::text;
    } else if (s.compare(i, 2, "//") == 0) {
      while (i < s.size() && s[i] != '\n') ++i;
      k = kind::space;
    } else {
      i += s.size() - i > 1 && two.contains(s.substr(i, 2)) ? 2 : 1;
    }
    r.push_back({k, s.substr(from, i - from)});
  }
  return r;
}

std::string joined(const std::vector<token>& all) {
  std::string r;
  for (const token& t : all) r += t.text;
  return r;
}

class mutator {
 public:
  mutator(draw& d, std::vector<token> tokens, std::vector<token> other) : d_(d), t_(std::move(tokens)), other_(std::move(other)) {}

  std::string mutate(std::size_t times) {
    for (std::size_t i = 0; i < times && !t_.empty(); ++i) step();
    return joined(t_);
  }

 private:
  std::size_t anywhere() { return d_.below(t_.size()); }
  //! A token of a kind, or any one.
  std::size_t of_kind(kind k) {
    for (int i = 0; i < 40; ++i)
      if (const std::size_t at = anywhere(); t_[at].what == k) return at;
    return anywhere();
  }
  void exchange() {
    const kind k = d_.pick({kind::word, kind::word, kind::number, kind::type, kind::keyword, kind::sign, kind::sign});
    token& t = t_[of_kind(k)];
    switch (t.what) {
      case kind::word:
        t.text = t_[of_kind(kind::word)].text;
        break;
      case kind::number:
        t.text = d_.pick(numbers());
        break;
      case kind::type:
        t.text = d_.pick(type_words());
        break;
      case kind::keyword:
        t.text = d_.pick(keywords());
        break;
      case kind::sign:
        if (t.text.find_first_of("(){}[];#\"") == std::string::npos) t.text = d_.pick(signs());
        break;
      default:
        break;
    }
  }
  void step() {
    const auto offset = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
    const std::size_t at = anywhere(), length = std::min(t_.size() - at, 1 + d_.below(12));
    switch (d_.below(16)) {
      case 0:
        t_.erase(t_.begin() + offset(at), t_.begin() + offset(at + (d_.chance(70) ? 1 : length)));
        break;
      case 1: {  // a part twice, or many times
        const std::vector<token> part(t_.begin() + offset(at), t_.begin() + offset(at + length));
        const std::size_t times = d_.chance(8) ? 300 + d_.below(6000) / length : d_.chance(20) ? 2 + d_.below(30) : 1;
        std::vector<token> many;
        for (std::size_t i = 0; i < times; ++i) many.insert(many.end(), part.begin(), part.end());
        t_.insert(t_.begin() + offset(at), many.begin(), many.end());
        break;
      }
      case 2: {
        const std::size_t to = anywhere();
        std::swap(t_[at], t_[to]);
        break;
      }
      case 3:
        if (!other_.empty()) {
          const std::size_t from = d_.below(other_.size()), many = std::min(other_.size() - from, 1 + d_.below(20));
          t_.insert(t_.begin() + offset(at), other_.begin() + offset(from), other_.begin() + offset(from + many));
        }
        break;
      case 4:
        t_.insert(t_.begin() + offset(at), token{kind::sign, d_.pick({"(", ")", "{", "}", "[", "]", ";", "+", "-", "*", "&", "[0]", "[i]",
                                                                      "++", "x[i]", "\\", "#", "@", "\x80"})});
        break;
      case 5:
        if (d_.chance(10)) t_.resize(at);
        else exchange();
        break;
      default:
        exchange();
    }
  }

  draw& d_;
  std::vector<token> t_, other_;
};

//! Preambles that try to read, to hang or to overflow.
std::string hostile(draw& d, const forbidden& f) {
  const std::string name = "\"" + f.path + "\"";
  std::string deep;
  switch (d.below(13)) {
    case 0:
      return "#include " + name + "\n";
    case 1:
      return "#include <../../../../../../.." + f.path + ">\n";
    case 2:
      return "#if __has_include(" + name + ")\nint seen() { return there; }\n#endif\n";
    case 3:
      return "#line 1 " + name + "\n";
    case 4:
      return "const unsigned char bytes[] = {\n#embed " + name + "\n};\n";
    case 5:
      return "#pragma clang __debug " + std::string(d.pick({"crash", "parser_crash", "llvm_fatal_error", "assert", "overflow_stack"})) +
             "\n";
    case 6:
      deep = "#define M0 1 +\n";
      for (int i = 1; i < 30; ++i)
        deep += "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " M" + std::to_string(i - 1) + "\n";
      return deep + "int bomb() { return M" + std::to_string(5 + d.below(25)) + " 0; }\n";
    case 7:
      for (std::size_t i = 0, n = 200 + d.below(20000); i < n; ++i)
        deep += d.pick({"-", "if(1)", "!", "(", "{", "[", "x<", "a=", "1?", "else "});
      return "int deep(int x) { return " + deep;
    case 8: {
      const std::string part =
          d.pick({"- ", "!", "if(x)", "x<", "x=", "x?x:", "for(;;)", "*", "x,", "x+", "sizeof ", "do ", "A::", "x.", "&", "case 1:"});
      for (std::size_t i = 0, n = 200 + d.below(20000); i < n; ++i) deep += part;
      return "int deep(int x) { " + std::string(d.chance(50) ? "return " : "") + deep + "x; }\n";
    }
    case 9:
      return "template <int N> struct deep { static constexpr int v = deep<N - 1>::v; }; int g() { return deep<" +
             std::to_string(10 + d.below(100000)) + ">::v; }\n";
    case 10:
      return "#include __FILE__\n";
    case 11:
      return "asm(\".incbin " + std::string("\\\"") + f.path + "\\\"\");\n";
    default:
      return "#pragma GCC dependency " + name + "\n#import " + name + "\n";
  }
}

}  // namespace

source_pieces cut_up(const std::string& text) {
  source_pieces r;
  std::string piece;
  std::size_t from = 0;
  bool code = false;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find('\n', from), text.size() - 1);
    const std::string line = text.substr(from, end + 1 - from);
    from = end + 1;
    if (!code && (line[0] == '#' || line[0] == '\n' || line.starts_with("//"))) {
      if (line[0] == '#') r.includes += line;
      continue;
    }
    code = true;
    piece += line;
    if (line[0] == '}') r.pieces.push_back(piece), piece.clear();
  }
  if (!piece.empty()) r.pieces.push_back(piece);
  return r;
}

std::string mutated_source(draw& d, const std::vector<source_pieces>& corpus, const forbidden& f) {
  const source_pieces& file = d.pick(corpus);
  std::string text;
  const std::size_t at = d.below(file.pieces.size()), count = 1 + d.below(3);
  for (std::size_t i = at; i < std::min(file.pieces.size(), at + count); ++i) text += file.pieces[i];
  const std::string other = d.pick(d.pick(corpus).pieces);
  const std::size_t changes = d.chance(5) ? 0 : d.chance(80) ? 1 + d.below(3) : 1 + d.below(20);
  text = mutator(d, tokens_of(text), tokens_of(other)).mutate(changes);
  const std::string before = d.chance(4) ? hostile(d, f) : "";
  return file.includes + before + text;
}

}  // namespace twofold::analyser::fuzz
