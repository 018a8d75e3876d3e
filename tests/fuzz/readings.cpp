// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! @file What the front end reads, against the compiler: random loops are compiled and called, and their specs run by the machine
//! interpreter on the same data. Inputs on which the compiled loop has undefined behaviour say nothing and are passed over: the code
//! is compiled with checks whose handlers are here.
//!
//!     fuzz_readings [--from SEED] [--count N] [--compiler clang++] [--show SEED] [--json FILE]
//!
//! Exit 1 if a reading was wrong; each wrong one is printed with its seed, its text and the input that shows it.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "frontend/dump.hpp"
#include "frontend/frontend.hpp"
#include "fuzz/program_text.hpp"
#include "ir/evaluate.hpp"

namespace {
bool undefined_behaviour = false;
}
#define HANDLER(name) \
  extern "C" void __ubsan_handle_##name(...) { undefined_behaviour = true; }
HANDLER(type_mismatch_v1)
HANDLER(add_overflow)
HANDLER(sub_overflow)
HANDLER(mul_overflow)
HANDLER(negate_overflow)
HANDLER(divrem_overflow)
HANDLER(shift_out_of_bounds)
HANDLER(out_of_bounds)
HANDLER(missing_return)
HANDLER(float_cast_overflow)
HANDLER(load_invalid_value)
HANDLER(pointer_overflow)
HANDLER(builtin_unreachable)
#undef HANDLER

namespace twofold::analyser::fuzz {
namespace {

namespace fs = std::filesystem;
const std::string fault = "the interpreter says: ";
constexpr std::size_t most_entries = 9, loops_per_file = 100, calls_per_loop = 40;

struct run_options {
  std::uint64_t from = 1, count = 1000;
  std::string compiler = "g++", json;
  bool show = false;
};
struct totals {
  std::size_t loops = 0, read = 0, calls = 0, undefined = 0, wrong = 0;
  std::map<std::string, std::size_t> refused;
  std::vector<std::uint64_t> wrong_seeds;
};

//! Calls f with a null pointer to the type of that name.
template <class F>
void with_type(const std::string& name, F f) {
  const auto is = [&]<class T>(const char* of, T*) {
    if (name == of) f(static_cast<T*>(nullptr));
  };
  is("signed char", static_cast<signed char*>(nullptr)), is("unsigned char", static_cast<unsigned char*>(nullptr));
  is("short", static_cast<short*>(nullptr)), is("unsigned short", static_cast<unsigned short*>(nullptr));
  is("int", static_cast<int*>(nullptr)), is("unsigned", static_cast<unsigned*>(nullptr));
  is("long", static_cast<long*>(nullptr)), is("unsigned long", static_cast<unsigned long*>(nullptr));
  is("long long", static_cast<long long*>(nullptr)), is("std::size_t", static_cast<std::size_t*>(nullptr));
  is("bool", static_cast<bool*>(nullptr)), is("float", static_cast<float*>(nullptr)), is("double", static_cast<double*>(nullptr));
}

template <class T>
T entry(draw& d) {
  if constexpr (std::is_same_v<T, bool>) return d.chance(50);
  else if constexpr (std::is_floating_point_v<T>) return static_cast<T>(d.between(-6, 12)) / 2;
  else if (d.chance(sizeof(T) < 4 ? 25 : std::is_unsigned_v<T> ? 20 : 8))
    return d.chance(50) ? std::numeric_limits<T>::max() : static_cast<T>(d.next());
  else return static_cast<T>(d.between(std::is_signed_v<T> ? -4 : 0, 5));
}
template <class T>
machine as_machine(T v) {
  if constexpr (std::is_floating_point_v<T>) return {static_cast<double>(v)};
  else if constexpr (std::is_signed_v<T>) return {static_cast<std::int64_t>(v)};
  else return {static_cast<std::uint64_t>(v)};
}
long double wide(const machine& m) {
  return std::visit([](auto v) { return static_cast<long double>(v); }, m.value);
}

//! The data of one call: bytes for the compiled loop, values for the interpreter.
struct call_data {
  std::vector<std::vector<unsigned char>> bytes;
  run_inputs in;
  std::string text;
};
call_data draw_call(const program_text& p, std::size_t n, draw& d) {
  call_data c;
  for (const auto& a : p.arguments) {
    c.bytes.emplace_back(16 * most_entries);
    auto& held = c.bytes.back();
    if (a.output) continue;
    c.text += " " + a.name + "=";
    with_type(a.type, [&]<class T>(T*) {
      for (std::size_t i = 0; i < (a.array ? n : 1); ++i) {
        const T v = a.name == "n" ? static_cast<T>(n) : entry<T>(d);
        std::memcpy(held.data() + i * sizeof(T), &v, sizeof(T));
        if (a.array) c.in.arrays[a.name].push_back(as_machine(v));
        else c.in.scalars[a.name] = as_machine(v);
        c.text += (i == 0 ? "" : ",") + std::to_string(v);
      }
      if (a.array) c.in.arrays[a.name];
    });
  }
  return c;
}

//! A function that calls the loop and stores all that comes back as long double, which holds every value of every type.
std::string caller(const program_text& p) {
  std::string r = "extern \"C\" void call_" + p.name + "(void** a, long n, long double* o) {\n  (void)n;\n  ";
  std::string call = p.name + "(", after;
  std::size_t results = p.fields.empty() ? 1 : p.fields.size();
  for (std::size_t k = 0; k < p.arguments.size(); ++k) {
    const auto& a = p.arguments[k];
    const std::string data = "a[" + std::to_string(k) + "]";
    if (k > 0) call += ", ";
    if (!a.array) call += "*static_cast<" + a.type + "*>(" + data + ")";
    else if (p.text.find("std::span<const " + a.type + "> " + a.name) != std::string::npos)
      call += "std::span<const " + a.type + ">(static_cast<" + a.type + "*>(" + data + "), n)";
    else call += "static_cast<" + a.type + "*>(" + data + ")";
    if (a.output)
      after += "  for (long k = 0; k < n; ++k) o[" + std::to_string(results) + " + k] = static_cast<" + a.type + "*>(" + data + ")[k];\n";
  }
  r += "auto r = " + call + ");\n";
  if (p.fields.empty()) r += "  o[0] = r;\n";
  for (std::size_t k = 0; k < p.fields.size(); ++k) r += "  o[" + std::to_string(k) + "] = r." + p.fields[k] + ";\n";
  return r + after + "}\n";
}

bool close(long double a, long double b, const std::string& type) {
  if (a == b) return true;
  if (type != "float" && type != "double") return false;
  if (!std::isfinite(a) || !std::isfinite(b)) return true;  // verdicts are about finite numbers
  return std::abs(a - b) <= (type == "float" ? 1e-4L : 1e-9L) * std::max(std::abs(a), std::abs(b));
}

//! What the spec says that the compiled loop does not; nothing if they agree.
std::string difference(const program_text& p, const spec& s, const call_data& c, std::size_t n, const long double* compiled) {
  std::map<std::string, std::vector<machine>> got;
  try {
    got = run_machine(s, c.in);
  } catch (const evaluation_error& e) {
    return fault + e.what();
  }
  const auto type_of = [&](const std::string& name) {
    for (const output& o : s.outputs)
      if (o.name == name) return o.type;
    for (const pass& q : s.passes)
      for (const element_output& o : q.outputs)
        if (o.array == name) return o.type;
    return int_type;
  };
  const auto compare = [&](const std::string& name, std::size_t from, std::size_t count) -> std::string {
    const auto it = got.find(name);
    if (it == got.end()) return name + " is missing";
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= it->second.size()) return name + " is too short";
      const std::string type = cpp_name(type_of(name));
      if (!close(wide(it->second[i]), compiled[from + i], type))
        return name + "[" + std::to_string(i) + "] is read as " + std::to_string(wide(it->second[i])) + ", compiled " +
               std::to_string(compiled[from + i]);
    }
    return {};
  };
  if (p.fields.empty())
    if (auto why = compare("return", 0, 1); !why.empty()) return why;
  for (std::size_t k = 0; k < p.fields.size(); ++k)
    if (auto why = compare("return." + p.fields[k], k, 1); !why.empty()) return why;
  if (p.arguments.back().output && p.text.find("out[i]") != std::string::npos)
    if (auto why = compare("out", p.fields.empty() ? 1 : p.fields.size(), n); !why.empty()) return why;
  return {};
}

class library {
 public:
  library(const std::string& source, const std::string& compiler) {
    const std::string base = source.substr(0, source.size() - 4);
    const std::string checks =
        " -fsanitize=undefined,float-cast-overflow,float-divide-by-zero -fno-sanitize=vptr,null,alignment,object-size";
    // -O0: an optimiser drops the checks of what it finds unused
    const std::string compile = compiler + " -std=c++20 -O0 -w -fPIC" + checks + " -c " + source + " -o " + base + ".o";
    if (std::system((compile + " && " + compiler + " -shared " + base + ".o -o " + base + ".so").c_str()) != 0) return;
    handle_ = ::dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) std::cerr << ::dlerror() << "\n";
  }
  ~library() {
    if (handle_) ::dlclose(handle_);
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;
  explicit operator bool() const { return handle_ != nullptr; }
  using function = void (*)(void**, long, long double*);
  [[nodiscard]] function find(const std::string& name) const { return reinterpret_cast<function>(::dlsym(handle_, name.c_str())); }

 private:
  void* handle_ = nullptr;
};

//! `lenient`: a compiler that folds (x + x > 0) before it puts its checks in does not see what the interpreter calls undefined.
void compare(const program_text& p, const spec& s, std::uint64_t seed, library::function f, bool lenient, totals& t) {
  draw d(seed + 77);
  for (std::size_t round = 0; round < calls_per_loop; ++round) {
    const bool nonempty =
        p.needs_element || std::find(s.assumptions.begin(), s.assumptions.end(), "the range is not empty") != s.assumptions.end();
    const std::size_t n = nonempty ? 1 + round % most_entries : round % (most_entries + 1);
    call_data c = draw_call(p, n, d);
    std::vector<void*> pointers;
    for (auto& b : c.bytes) pointers.push_back(b.data());
    long double results[8 + most_entries] = {};
    undefined_behaviour = false;
    f(pointers.data(), static_cast<long>(n), results);
    ++t.calls;
    if (undefined_behaviour) {
      ++t.undefined;
      continue;
    }
    const std::string why = difference(p, s, c, n, results);
    if (why.empty()) continue;
    if (lenient && why.starts_with(fault)) {
      ++t.undefined;
      continue;
    }
    ++t.wrong;
    t.wrong_seeds.push_back(seed);
    std::cout << "MISREAD seed " << seed << ": n=" << n << c.text << ": " << why << "\n" << p.text << dump(s) << "\n" << std::flush;
    return;
  }
}

int run(const run_options& o) {
  totals t;
  const fs::path folder = fs::temp_directory_path() / ("twofold_readings_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  frontend_options reading;
  reading.cache_dir = (folder / "cache").string();
  bool built = true;
  for (std::uint64_t first = o.from; first < o.from + o.count && built; first += loops_per_file) {
    reset_terms();
    const std::uint64_t last = std::min(o.from + o.count, first + loops_per_file);
    std::map<std::string, program_text> programs;
    std::string text = program_includes, callers;
    for (std::uint64_t seed = first; seed < last; ++seed) {
      draw d(seed);
      program_text p = draw_program(d, "f" + std::to_string(seed));
      text += p.text + "\n", callers += caller(p);
      if (o.show) std::cout << p.text;
      programs.emplace(p.name, std::move(p));
    }
    const std::string read = (folder / ("read" + std::to_string(first) + ".cpp")).string(),
                      compiled = (folder / ("run" + std::to_string(first) + ".cpp")).string();
    std::ofstream(read) << text;
    std::ofstream(compiled) << text << callers;
    const frontend_result r = read_source(read, "", reading);
    t.loops += programs.size(), t.read += r.specs.size();
    for (const frontend_error& e : r.errors) {
      ++t.refused[e.code];
      if (o.show || e.code[2] == '2') std::cout << e.where.line << ": " << e.code << " " << e.what << ": " << e.why << "\n";
    }
    const library l(compiled, o.compiler);
    built = static_cast<bool>(l);
    if (!built) break;
    for (const spec& s : r.specs)
      compare(programs.at(s.function), s, std::stoull(s.function.substr(1)), l.find("call_" + s.function),
              o.compiler.find("clang") == std::string::npos, t);
    for (const char* end : {".cpp", ".o", ".so"}) fs::remove(compiled.substr(0, compiled.size() - 4) + end);
  }
  fs::remove_all(folder);
  if (!built) return std::cerr << "the loops did not compile\n", 2;
  std::printf("%zu loops from seed %llu, %zu read, %zu calls (%zu undefined), %zu misread\n", t.loops,
              static_cast<unsigned long long>(o.from), t.read, t.calls, t.undefined, t.wrong);
  for (const auto& [code, n] : t.refused) std::printf("  refused %s: %zu\n", code.c_str(), n);
  if (!o.json.empty())
    std::ofstream(o.json) << nlohmann::ordered_json{{"first_seed", o.from},   {"loops", t.loops},         {"read", t.read},
                                                    {"calls", t.calls},       {"undefined", t.undefined}, {"misread", t.wrong},
                                                    {"seeds", t.wrong_seeds}, {"refused", t.refused}}
                                 .dump(1)
                          << "\n";
  return t.wrong > 0 ? 1 : 0;
}

}  // namespace
}  // namespace twofold::analyser::fuzz

int main(int argc, char** argv) {
  twofold::analyser::fuzz::run_options o;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (i + 1 == argc) return std::fprintf(stderr, "%s needs a value\n", flag.c_str()), 2;
    const char* value = argv[++i];
    if (flag == "--from") o.from = std::strtoull(value, nullptr, 10);
    else if (flag == "--count") o.count = std::strtoull(value, nullptr, 10);
    else if (flag == "--compiler") o.compiler = value;
    else if (flag == "--json") o.json = value;
    else if (flag == "--show") o.from = std::strtoull(value, nullptr, 10), o.count = 1, o.show = true;
    else return std::fprintf(stderr, "no option %s\n", flag.c_str()), 2;
  }
  return twofold::analyser::fuzz::run(o);
}
